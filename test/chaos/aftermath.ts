import type { FaultRecord } from './records.ts';

/** How long after a fault a publisher may take to find out that what it had accepted is gone; it looks every 2 s. */
const LOOK_MS = 5_000;

/**
 * Until when the loss of data by a fault may come to light: instances that have heard of nothing learn of it from the
 * publisher, which looks some time after it reaches Redis again. A fault that cuts it off again at once makes it wait.
 */
export function aftermath(faults: readonly FaultRecord[], index: number, overAt: number): number {
  const endOf = (fault: FaultRecord) => (fault.settledAt ?? overAt) + LOOK_MS;
  const end = endOf(faults[index]!);
  const next = faults[index + 1];
  return next?.effects.cutOff !== undefined && next.at <= end ? Math.max(end, endOf(next)) : end;
}
