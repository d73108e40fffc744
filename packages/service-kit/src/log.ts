import type { Writable } from 'node:stream';
import { type LoggerOptions, pino, stdTimeFunctions } from 'pino';
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
}

export interface LogOptions {
  /** Which service writes; a field of each line. */
  readonly service?: string;
  /** Where lines go; standard output unless set. */
  readonly destination?: Writable;
}

/** A log on pino: JSON lines, or lines for people where `pretty` is on. */
export function createLog(config: LogConfig, { service, destination }: LogOptions = {}): Log {
  const options: LoggerOptions = {
    level: config.level,
    base: service === undefined ? {} : { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS, censor: '[redacted]' },
  };
  const target = config.pretty ? PinoPretty({ sync: true, ...(destination && { destination }) }) : destination;
  return target === undefined ? pino(options) : pino(options, target);
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
