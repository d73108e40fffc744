import { aftermath } from '../aftermath.ts';
import { type Attempt, type History, wants } from '../history.ts';
import type { PublishedChange } from '../records.ts';
import type { StreamHistory } from '../stream-history.ts';
import type { Violation } from '../violation.ts';

/** From the moment at which an instance is known to have a change to its arrival at a host on a busy machine. */
export const DELIVERY_LIMIT_MS = 5_000;

/** One change, one stream that had to be told of it, and when it was; undefined where it never was. */
export interface Delivery {
  readonly attempt: Attempt;
  readonly change: PublishedChange;
  readonly stream: StreamHistory;
  readonly signalledAt: number | undefined;
  /** When it had to be at the latest. */
  readonly deadline: number;
}

/** The promise: an accepted change is signalled on every stream that asked for it before and lived on. */
export function checkSignalled(history: History): Violation[] {
  const violations: Violation[] = [];
  for (const { attempt, change, stream, signalledAt, deadline } of deliveries(history)) {
    if (signalledAt !== undefined && signalledAt <= deadline) continue;
    if (stream.endedAt <= deadline && stream.ending !== undefined) continue;
    const state = change.seq === undefined ? '' : ` in state ${change.seq}`;
    const place = `stream ${stream.stream} of ${stream.server}`;
    const lateMs = signalledAt === undefined ? '' : `, ${Math.round(signalledAt - deadline)} ms too late`;
    violations.push({
      kind: signalledAt === undefined ? 'unsignalled' : 'late',
      at: attempt.askedAt,
      where: stream.instance,
      text: `${change.key}${state}, publish ${attempt.publish}, on ${place}${lateMs}`,
    });
  }
  return violations;
}

/** Every accepted change with every stream that it had to reach, if that lived. */
export function* deliveries(history: History): Generator<Delivery> {
  const byServer = Map.groupBy(history.streams, ({ server }) => server);
  const deadlineOf = deadlines(history);
  const firstAskedAt = firstAsks(history.attempts);
  for (const attempt of history.attempts) {
    if (attempt.status !== 202) continue;
    // Where an attempt under the same key went before, the change may have been signalled before this one.
    const since = firstAskedAt.get(attempt.publish) ?? attempt.askedAt;
    for (const stream of byServer.get(attempt.server) ?? []) {
      if (stream.acknowledgedAt >= since || stream.endedAt <= attempt.askedAt) continue;
      const deadline = stalledUntil(stream, since, deadlineOf(stream.instance, attempt));
      for (const change of attempt.changes.filter(({ key }) => wants(stream.honored, key))) {
        yield { attempt, change, stream, signalledAt: signalledAt(stream, change, since), deadline };
      }
    }
  }
}

/** When each publish was asked for first, under whatever attempt. */
function firstAsks(attempts: readonly Attempt[]): Map<number, number> {
  const first = new Map<number, number>();
  for (const { publish, askedAt } of attempts) {
    first.set(publish, Math.min(askedAt, first.get(publish) ?? Number.POSITIVE_INFINITY));
  }
  return first;
}

/** The first signal of the change or of a later one of its key; a newer state of a task stands for an older. */
function signalledAt(stream: StreamHistory, { key, seq }: PublishedChange, since: number): number | undefined {
  const stands = stream.signals(key).find((signal) => {
    return signal.at >= since && (seq === undefined || (signal.seq ?? -1) >= seq);
  });
  return stands?.at;
}

/** A host that reads nothing is told as soon as it reads again. */
function stalledUntil({ stalls }: StreamHistory, since: number, deadline: number): number {
  let latest = deadline;
  for (const { from, to } of stalls)
    if (from <= latest && to >= since) latest = Math.max(latest, to + DELIVERY_LIMIT_MS);
  return latest;
}

/**
 * When an accepted change must have been signalled: a while after the instance has delivered a beacon that was published
 * later. Where it never did, that is a violation of its own, and the change is judged at the end. One that was accepted
 * just before Redis lost its data may be found missing a little later.
 */
function deadlines({ settled, faults, overAt }: History): (instance: string, attempt: Attempt) => number {
  const byInstance = Map.groupBy(settled, ({ instance }) => instance);
  return (instance, { answeredAt }) => {
    const proof = firstSince(byInstance.get(instance) ?? [], answeredAt);
    if (proof === undefined) return overAt;
    const loss = faults.findIndex(({ effects, at, settledAt = overAt }) => {
      return effects.mayGap && answeredAt >= at && answeredAt <= settledAt;
    });
    const usual = proof + DELIVERY_LIMIT_MS;
    return loss < 0 ? usual : Math.max(usual, aftermath(faults, loss, overAt));
  };
}

/** By bisection: there are many, and `since` grows with `at` nearly always. */
function firstSince(settled: readonly { readonly since: number; readonly at: number }[], since: number) {
  let low = 0;
  let high = settled.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (settled[middle]!.since >= since) high = middle;
    else low = middle + 1;
  }
  return settled[low]?.at;
}
