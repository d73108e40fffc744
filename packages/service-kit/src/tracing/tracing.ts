import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../config-environment.ts';
import type { Log } from '../log.ts';
import type { ShutdownStep } from '../shutdown.ts';

export interface TracingOptions {
  /** The variables of OpenTelemetry. */
  readonly env: Environment;
  /** What spans name as their service, unless the environment does. */
  readonly program: string;
  readonly log: Log;
}

/** Long for a collector that is merely slow, short against the time that a process is given to end. */
const FLUSH_LIMIT_MS = 2_000;

/**
 * Exports spans where the environment asks for it; answers with the step that exports the last of them. Everywhere else
 * the SDK of OpenTelemetry is not even loaded: it takes a second and some forty megabytes.
 */
export async function startTracing({ env, program, log }: TracingOptions): Promise<ShutdownStep | undefined> {
  if (!asksForTraces(env)) return undefined;
  let stop: () => Promise<void>;
  try {
    const { startSdk } = await import('./sdk.ts');
    stop = startSdk({ env, program, log });
  } catch (cause) {
    // Most of what is wrong with its variables the SDK tells and passes over; some exporters throw. Hosts are to be served.
    // What it quotes may be a header with a credential.
    log.error({ why: String(cause).replace(/".*"/s, '"…"') }, 'no spans are exported');
    return undefined;
  }
  log.info({}, 'spans are exported');
  return {
    name: 'tracing',
    run: async () => {
      const stopped = stop().then(
        () => true,
        // A collector that is away is no fault of a service that ends well.
        (cause: unknown) => {
          log.warn({ why: String(cause) }, 'the last spans could not be exported');
          return true;
        },
      );
      if (await Promise.race([stopped, pause(FLUSH_LIMIT_MS, false, { ref: false })])) return;
      log.warn({ limitMs: FLUSH_LIMIT_MS }, 'the collector is too slow; the last spans are left behind');
    },
  };
}

/** An exporter or where to export to has to be named: by the standard alone every process would look for a collector. */
export function asksForTraces(env: Environment): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  const exporters = env.OTEL_TRACES_EXPORTER?.trim();
  if (exporters) return !exporters.split(',').some((exporter) => exporter.trim() === 'none');
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim() || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim());
}
