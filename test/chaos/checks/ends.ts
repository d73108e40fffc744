import { aftermath } from '../aftermath.ts';
import type { History, RecordOf } from '../history.ts';
import type { StreamHistory } from '../stream-history.ts';
import type { Violation } from '../violation.ts';

/** Nothing ends and nothing is given up without a cause: processes, streams, what the journal was to keep. */
export function checkEnds(history: History): Violation[] {
  return [
    ...history.exits.flatMap((exit) => exitOffences(history, exit)),
    ...history.streams.flatMap((stream) => endOffences(history, stream)),
    ...history.gaps.flatMap((gap) => gapOffences(history, gap)),
    ...history.unsettled.map(({ at, service, since }): Violation => {
      const text = `it was not whole again after ${Math.round(at - since)} ms`;
      return { kind: 'not-recovered', at, where: service, text };
    }),
  ];
}

function exitOffences({ stopped, overAt }: History, { at, service, how, wanted }: RecordOf<'exited'>): Violation[] {
  if (at > overAt) return [];
  if (!wanted) return [{ kind: 'died', at, where: service, text: `it ended with ${how}` }];
  const stop = stopped.findLast((one) => one.service === service && one.from <= at);
  if (stop?.how !== 'terminated' || how === 0) return [];
  return [{ kind: 'bad-exit', at, where: service, text: `it ended with ${how} after SIGTERM` }];
}

/** From what caused an end or a gap to the host's reading of it, or to the reading of the log that tells. */
const MARGIN_MS = 5_000;

function endOffences(history: History, stream: StreamHistory): Violation[] {
  const { ending, endedAt, instance, server, honored } = stream;
  if (ending === undefined || ending === 'left') return [];
  const near = (at: number) => Math.abs(at - endedAt) <= MARGIN_MS;
  const isStopped = history.stopped.some(({ service, how, from, to }) => {
    return service === instance && how !== 'frozen' && endedAt >= from - MARGIN_MS && endedAt <= to + MARGIN_MS;
  });
  const isInGap = history.gaps.some((gap) => gap.instance === instance && gap.server === server && near(gap.at));
  const wasStalled = stream.stalls.some(({ from, to }) => endedAt >= from && endedAt <= to + MARGIN_MS);
  if (isStopped || wasStalled || (isInGap && honored.taskIds !== undefined)) return [];
  const text = `stream ${stream.stream} of ${server} (${ending})`;
  return [{ kind: 'ended-without-cause', at: endedAt, where: instance, text }];
}

function gapOffences({ faults, overAt }: History, { at, instance, server }: RecordOf<'gap'>): Violation[] {
  const isExplained = faults.some((fault, index) => {
    return fault.effects.mayGap && at >= fault.at && at <= aftermath(faults, index, overAt);
  });
  if (isExplained) return [];
  return [
    { kind: 'gap-without-cause', at, where: instance, text: `a gap of ${server}: its journal had all that was missed` },
  ];
}
