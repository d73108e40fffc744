import { duration } from './duration.ts';
import type { Attempt, History } from './history.ts';

/** Two publishes of one key that are further apart than this are told apart by time. */
const APART_MS = 45_000;

/**
 * How many publishes were heard of although their publisher could not say that they were accepted, and how long after its
 * answer at the latest. It says so of any that timed out, since it cannot know; a backend with a key tries again.
 */
export function afterlives(history: History): string {
  const groups = [...Map.groupBy(history.attempts, ({ publish }) => publish).values()];
  const unclear = groups.filter((group) => group.every(({ status }) => status === 0 || status >= 500)).flat();
  const byKey = Map.groupBy(
    history.attempts.flatMap((attempt) =>
      attempt.changes.map(({ key }) => ({ key: `${attempt.server} ${key}`, attempt })),
    ),
    ({ key }) => key,
  );
  const lagsMs = unclear.flatMap((attempt) => {
    const uri = attempt.changes.find(({ key }) => key.startsWith('uri:'))?.key;
    if (uri === undefined) return [];
    const others = (byKey.get(`${attempt.server} ${uri}`) ?? []).map((other) => other.attempt);
    return isAlone(attempt, others) ? heardAfter(history, attempt, uri) : [];
  });
  return lagsMs.length === 0 ? '0' : `${lagsMs.length} / ${duration(Math.max(0, ...lagsMs))}`;
}

function isAlone(attempt: Attempt, others: readonly Attempt[]): boolean {
  return others.every((other) => other === attempt || Math.abs(other.askedAt - attempt.askedAt) > APART_MS);
}

/** The time from the answer to the first signal, where no gap can have been its cause. */
function heardAfter({ streams, gaps }: History, { server, askedAt, answeredAt }: Attempt, uri: string): number[] {
  const isNear = (at: number) => at >= askedAt && at <= askedAt + APART_MS;
  if (gaps.some((gap) => gap.server === server && isNear(gap.at))) return [];
  const heard = streams.flatMap((stream) => {
    return stream.server === server ? stream.signals(uri).filter(({ at }) => isNear(at)) : [];
  });
  return heard.length === 0 ? [] : [Math.min(...heard.map(({ at }) => at)) - answeredAt];
}
