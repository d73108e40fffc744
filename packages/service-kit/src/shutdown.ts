import { background } from './background.ts';
import type { Log } from './log.ts';

/** One thing to stop before the process ends. */
export interface ShutdownStep {
  /** For the log. */
  readonly name: string;
  run(): Promise<void> | void;
}

export interface ShutdownOptions {
  readonly log: Log;
  /** Called at the second signal: what still takes its time should take none. */
  hasten?(): void;
}

/**
 * Ends the process well: the first SIGTERM or SIGINT runs the steps in order and exits with 0, also past a step that
 * fails; what nobody caught ends it at once with 1, for a process in an unknown state must not hold streams.
 */
export function onShutdown(steps: readonly ShutdownStep[], { log, hasten }: ShutdownOptions): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) {
      log.warn({ signal }, 'second signal, hastening');
      hasten?.();
      return;
    }
    stopping = true;
    log.info({ signal }, 'shutting down');
    background(finish(steps, log), log);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (err: unknown) => {
      log.fatal({ err }, event);
      process.exit(1);
    });
  }
}

async function finish(steps: readonly ShutdownStep[], log: Log): Promise<void> {
  await runSteps(steps, log);
  log.info({}, 'shut down');
  await log.flush();
  process.exit(0);
}

async function runSteps(steps: readonly ShutdownStep[], log: Log): Promise<void> {
  for (const { name, run } of steps) {
    try {
      await run();
    } catch (err) {
      log.error({ err, step: name }, 'shutdown step failed');
    }
  }
}
