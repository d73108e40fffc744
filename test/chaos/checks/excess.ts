import type { Attempt, History } from '../history.ts';
import type { ChangeKey } from '../records.ts';
import type { StreamHistory } from '../stream-history.ts';
import type { Violation } from '../violation.ts';

/** A publish that is due to be on streams once at most, from the first attempt on. */
interface Possible {
  readonly since: number;
  readonly seq: number | undefined;
}

/**
 * No stream is signalled more often than there were publishes that may have caused it. After a gap every stream is told
 * of everything once more, so each gap of the instance excuses one signal of a key; a task is never told of so.
 */
export function checkExcess(history: History): Violation[] {
  const possible = possiblePublishes(history);
  return history.streams.flatMap((stream) => {
    const gaps = gapsWhile(history, stream);
    return [...stream.keys].flatMap((key) =>
      excessOn(stream, key, possible.get(`${stream.server} ${key}`) ?? [], gaps),
    );
  });
}

function excessOn(stream: StreamHistory, key: ChangeKey, possible: readonly Possible[], gaps: number): Violation[] {
  const signals = stream.signals(key);
  const last = signals.at(-1)!;
  const isTask = key.startsWith('task:');
  const seqs = isTask ? new Set(signals.map(({ seq }) => seq)) : [undefined];
  const violations: Violation[] = [];
  for (const seq of seqs) {
    const count = signals.filter((signal) => signal.seq === seq).length;
    // One that began before the stream may be told on it too, so none is left out for being early.
    const explained = possible.filter((publish) => publish.seq === seq && publish.since <= last.at).length;
    const excused = isTask ? 0 : gaps;
    if (count <= explained + excused) continue;
    violations.push({
      kind: 'excess',
      at: last.at,
      where: stream.instance,
      text: `${key} ${count} times on stream ${stream.stream} of ${stream.server}: ${explained} publishes, ${gaps} gaps`,
    });
  }
  return violations;
}

/**
 * By server and key. The attempts under one idempotency key count once, unless Redis may have lost the key between them;
 * those that were refused for good never.
 */
function possiblePublishes({ attempts, faults }: History): Map<string, Possible[]> {
  const losses = faults.filter(({ effects }) => effects.mayGap);
  const possible = new Map<string, Possible[]>();
  for (const group of Map.groupBy(attempts, ({ publish }) => publish).values()) {
    const open = group.filter(({ status }) => !(status >= 400 && status < 500));
    if (open.length === 0) continue;
    const [from, to] = [Math.min(...open.map(timeOf)), Math.max(...open.map(timeOf))];
    const isKeyLost = losses.some(({ at, healedAt }) => at <= to && healedAt >= from);
    for (const { server, changes, askedAt } of isKeyLost ? open : open.slice(0, 1)) {
      for (const { key, seq } of changes) {
        const list = possible.get(`${server} ${key}`) ?? [];
        possible.set(`${server} ${key}`, list);
        list.push({ since: askedAt, seq });
      }
    }
  }
  return possible;
}

const timeOf = ({ askedAt }: Attempt) => askedAt;

/** Logs are written and read later than streams. */
const LOG_DELAY_MS = 5_000;

/** A stream that is not acknowledged yet is told of them with its acknowledgement. */
function gapsWhile({ gaps }: History, { instance, server, askedAt, endedAt }: StreamHistory): number {
  return gaps.filter((gap) => {
    const onStream = gap.instance === instance && gap.server === server;
    return onStream && gap.at >= askedAt && gap.at <= endedAt + LOG_DELAY_MS;
  }).length;
}
