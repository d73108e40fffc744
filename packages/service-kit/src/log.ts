import type { Writable } from 'node:stream';
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import { destination as fileDestination, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { PinoPretty } from 'pino-pretty';
import type { LogConfig } from './config-fragments.ts';

/** Writes one line: stable field names first, then a constant sentence; an error goes under `err`. */
export type WriteLog = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** What the services need of a log; pino stays behind it. */
export interface Log {
  readonly debug: WriteLog;
  readonly info: WriteLog;
  readonly warn: WriteLog;
  readonly error: WriteLog;
  readonly fatal: WriteLog;
  /** A log that adds these fields to each line. */
  child(fields: Readonly<Record<string, unknown>>): Log;
  /** Resolves once all lines are written, or soon if nobody takes them. */
  flush(): Promise<void>;
}

export interface LogOptions {
  /** Which service writes; a field of each line. */
  readonly service?: string;
  /** Where lines go; standard output unless set. */
  readonly destination?: Writable;
}

/** Long for a reader that is merely slow, short against the time that a process is given to end. */
const FLUSH_LIMIT_MS = 3_000;
/** Lines that standard output has not taken yet; what comes above is dropped rather than kept, or waited for. */
const MAX_UNWRITTEN_BYTES = 4 * 1024 * 1024;

/** A log on pino: JSON lines, or lines for people where `pretty` is on. */
export function createLog(config: LogConfig, { service, destination }: LogOptions = {}): Log {
  const options: LoggerOptions = {
    level: config.level,
    base: service === undefined ? {} : { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS, censor: '[redacted]' },
  };
  if (config.pretty) return logOn(pino(options, PinoPretty({ sync: true, ...(destination && { destination }) })));
  return logOn(pino(options, destination ?? standardOutput()));
}

/** Asynchronous, because a reader that stalls would otherwise stall every stream. Only above minLength 0 can it be flushed. */
function standardOutput() {
  return fileDestination({ dest: 1, sync: false, minLength: 1, maxLength: MAX_UNWRITTEN_BYTES });
}

function logOn(logger: Logger): Log {
  const at = (level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'): WriteLog => logger[level].bind(logger);
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    child: (fields) => logOn(logger.child(fields)),
    async flush() {
      await breathe();
      const flushed = new Promise<void>((resolve) => logger.flush(() => resolve()));
      await Promise.race([flushed, pause(FLUSH_LIMIT_MS, undefined, { ref: false })]);
    },
  };
}

/** Bearer tokens wherever headers are logged, and what a Redis error repeats of the command (AUTH among them). */
const SECRET_FIELDS = ['', '*.', '*.*.'].flatMap((parents) => [
  `${parents}authorization`,
  `${parents}Authorization`,
  `${parents}cookie`,
  `${parents}password`,
  `${parents}token`,
  `${parents}command.args`,
]);
