import type { History } from '../chaos/history.ts';
import type { StreamHistory } from '../chaos/stream-history.ts';

/** By then a host has come back, whatever it waited for. */
const BACK_MS = 5_000;

/**
 * What a rolling restart may cost hosts, beside what the checker of the campaign looks after: each stream that an instance
 * ends gets its result, each host has a stream again, and none has to open more often than instances were restarted. A
 * widely used host gives up after three re-openings of streams that lived for less than 10 s, or five within an hour.
 */
export function checkReopens(history: History, restarts: number): string[] {
  return [...byHost(history)].flatMap(([host, streams]) => [...hostOffences(host, streams, restarts, history.overAt)]);
}

/** The streams of each host in their order: id and filter together are those of one host. */
export function byHost({ streams }: History): Map<string, StreamHistory[]> {
  const inOrder = streams.toSorted((one, other) => one.stream - other.stream);
  return Map.groupBy(inOrder, ({ server, id, requested }) => JSON.stringify([server, id, requested]));
}

function* hostOffences(
  host: string,
  streams: readonly StreamHistory[],
  restarts: number,
  overAt: number,
): Generator<string> {
  const name = host.slice(0, 80);
  const cut = streams.filter(({ ending }) => ending === 'cut');
  for (const { stream, instance } of cut) yield `stream ${stream} on ${instance} was cut`;
  for (const stream of streams) {
    if (stream.ending !== 'complete') continue;
    if (stream.messages.at(-1)?.type !== 'completed') yield `stream ${stream.stream} ended without its result`;
  }
  const ended = streams.filter(({ ending }) => ending === 'complete' || ending === 'cut');
  if (ended.length > restarts) yield `${name} had to open ${ended.length} times again`;
  const last = streams.at(-1)!;
  const isBack = last.ending === undefined && last.acknowledgedAt < overAt;
  const isOnItsWay = Math.max(last.askedAt, last.ending === 'left' ? last.endedAt : 0) > overAt - BACK_MS;
  if (!isBack && !isOnItsWay) yield `${name} has no stream again`;
}
