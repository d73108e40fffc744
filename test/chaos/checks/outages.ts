import type { Attempt, History, RecordOf } from '../history.ts';
import type { FaultRecord } from '../records.ts';
import type { Violation } from '../violation.ts';

/** What the failure policy says of services that cannot reach Redis: they refuse, they say so, and they live. */
export function checkOutages(history: History): Violation[] {
  return [
    ...history.faults.flatMap((fault) => [...whileCutOff(history, fault)]),
    ...history.health.flatMap((health) => healthOffences(history, health)),
    ...history.attempts.flatMap(answerOffences),
    ...history.streams.flatMap(({ refusal, instance }) => (refusal ? refusalOffences(refusal, instance) : [])),
  ];
}

function* whileCutOff({ attempts, streams }: History, fault: FaultRecord): Generator<Violation> {
  const { cutOff } = fault.effects;
  if (cutOff === undefined) return;
  for (const { publisher, askedAt, answeredAt, status, publish } of attempts) {
    if (status !== 202 || askedAt < fault.injectedAt || answeredAt > fault.healAt) continue;
    if (!cutOff.services.includes(publisher)) continue;
    const text = `publish ${publish} during “${fault.name}”`;
    yield { kind: 'accepted-while-cut-off', at: askedAt, where: publisher, text };
  }
  for (const { stream, instance, askedAt, acknowledgedAt } of streams) {
    if (askedAt < fault.injectedAt + cutOff.noticedMs || acknowledgedAt > fault.healAt) continue;
    if (!cutOff.services.includes(instance)) continue;
    const text = `stream ${stream} during “${fault.name}”`;
    yield { kind: 'acknowledged-while-cut-off', at: acknowledgedAt, where: instance, text };
  }
}

/** A probe that was under way when a service was stopped, or while it came back, says nothing. */
const STOP_MARGIN_MS = 1_000;

function healthOffences(history: History, health: RecordOf<'health'>): Violation[] {
  const { service, askedAt, at, live, ready } = health;
  const isStopped = history.stopped.some(
    (stop) => stop.service === service && askedAt <= stop.to + STOP_MARGIN_MS && at >= stop.from - STOP_MARGIN_MS,
  );
  if (isStopped) return [];
  const offence = { at: askedAt, where: service };
  if (live !== 200) return [{ ...offence, kind: 'not-live', text: `/livez answered ${live}` }];
  const fault = history.faults.find((one) => askedAt >= one.at && at <= (one.settledAt ?? history.overAt));
  if (fault === undefined) {
    return ready === 200
      ? []
      : [{ ...offence, kind: 'wrong-readiness', text: `/readyz answered ${ready} with all well` }];
  }
  const { cutOff } = fault.effects;
  if (!cutOff?.services.includes(service)) return [];
  const mustKnow = askedAt >= fault.injectedAt + cutOff.noticedMs && at <= fault.healAt;
  if (!mustKnow || ready === 503) return [];
  return [{ ...offence, kind: 'wrong-readiness', text: `/readyz answered ${ready} during “${fault.name}”` }];
}

/** The publisher answers within 2 s; the rest is for a busy machine. */
const ANSWER_LIMIT_MS = 5_000;

function answerOffences({ status, askedAt, answeredAt, retryAfterS, publisher, publish }: Attempt): Violation[] {
  const offence = { kind: 'bad-answer', at: answeredAt, where: publisher } as const;
  const tookMs = Math.round(answeredAt - askedAt);
  // No answer at all is excused by whatever happened to the publisher, see the health of it.
  if (status === 0) return [];
  if (status >= 500 && status !== 503) return [{ ...offence, text: `publish ${publish} got ${status}` }];
  if (status === 503 && retryAfterS === undefined) return [{ ...offence, text: `publish ${publish}: no Retry-After` }];
  if (status === 503 && tookMs > ANSWER_LIMIT_MS) {
    return [{ ...offence, text: `publish ${publish} was refused after ${tookMs} ms` }];
  }
  return [];
}

function refusalOffences({ stream, at, status, retryAfterS }: RecordOf<'refused'>, where: string): Violation[] {
  const isGood = status === 503 && retryAfterS !== undefined && retryAfterS >= 1 && retryAfterS <= 10;
  return isGood
    ? []
    : [{ kind: 'bad-refusal', at, where, text: `stream ${stream}: ${status}, Retry-After ${retryAfterS}` }];
}
