import type { Random } from './clock.ts';

/** Hosts come back as their streams end; one in this many milliseconds is a pace that the other instances can take. */
const MS_PER_STREAM = 10;

/**
 * When each of `streams` ends, in milliseconds from now, growing: spread evenly over the window with jitter, so that
 * hosts do not come back all at once. Few streams need less than the window.
 */
export function drainPlan(streams: number, windowMs: number, random: Random): readonly number[] {
  const spreadMs = Math.min(windowMs, streams * MS_PER_STREAM);
  return Array.from({ length: streams }, (_, index) => ((index + random()) / streams) * spreadMs);
}
