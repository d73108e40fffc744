import type { z } from 'zod';
import { configOrExit, takeOtelEnvironment } from './config.ts';
import { type AdminConfig, CONFIG_SECTIONS, type LogConfig } from './config-fragments.ts';
import { type Readiness, startAdminServer } from './http/admin-server.ts';
import { createLog, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { onShutdown, type ShutdownStep } from './shutdown.ts';
import { startTracing } from './tracing/tracing.ts';

/** What a service has in common with the others. */
export interface ServiceOptions<Schema extends z.ZodObject> {
  readonly program: string;
  /** For `--help`. */
  readonly summary: string;
  readonly schema: Schema;
  start(setting: ServiceSetting<z.output<Schema>>): Promise<RunningService>;
}

/** What a service starts with. */
export interface ServiceSetting<Config> {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Stops a part at shutdown, before all parts that were kept earlier; keep each as soon as it is open. */
  keep(step: ShutdownStep): void;
  /** Makes a second signal do this. */
  hastenBy(hasten: () => void): void;
}

export interface RunningService {
  readiness(): Readiness;
  /** Where it listens, for the log. */
  readonly urls: Readonly<Record<string, string>>;
}

/**
 * Runs a service as a process: configuration, log, metrics, the service itself, the admin port; and at a signal, or when
 * a part cannot be opened, what is open is stopped in the opposite order.
 */
export async function runService<
  Schema extends z.ZodObject<{ admin: z.ZodType<AdminConfig>; log: z.ZodType<LogConfig> }>,
>(options: ServiceOptions<Schema>): Promise<void> {
  const { program, summary, schema, start } = options;
  const config = configOrExit(schema, { program, summary, otherSections: CONFIG_SECTIONS });
  const log = createLog(config.log, { service: program });
  const metrics = createMetrics({ service: program });
  const steps: ShutdownStep[] = [];
  let hasten = () => {};
  onShutdown(steps, { log, hasten: () => hasten() });
  const tracing = await startTracing({ env: takeOtelEnvironment(), program, log });
  // After all that the service keeps: the last spans end with it.
  if (tracing !== undefined) steps.push(tracing);

  const running = await start({
    config,
    log,
    metrics,
    keep: (step) => void steps.unshift(step),
    hastenBy: (act) => {
      hasten = act;
    },
  });
  const admin = await startAdminServer({
    ...config.admin,
    metrics,
    log,
    live: () => true,
    ready: () => running.readiness(),
  });
  // Last: while the rest stops, an operator still wants to see why the service is not ready.
  steps.push({ name: 'admin', run: () => admin.close() });
  log.info({ ...running.urls, adminUrl: admin.url }, 'listening');
}
