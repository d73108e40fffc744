import { afterlives } from './afterlives.ts';
import { deliveries } from './checks/signalled.ts';
import { duration } from './duration.ts';
import type { History } from './history.ts';
import type { FaultRecord } from './records.ts';
import type { Violation } from './violation.ts';

/** A table of text. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What a campaign was, in tables: how much of everything, and each kind of fault with what it did. */
export interface Report {
  readonly totals: Table;
  readonly faults: Table;
  readonly violations: Table;
}

export function reportOf(history: History, violations: readonly Violation[]): Report {
  return { totals: totals(history), faults: faults(history), violations: violationTable(violations) };
}

export function markdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function totals(history: History): Table {
  const { attempts, streams } = history;
  const changes = attempts.filter(({ status }) => status === 202).reduce((sum, one) => sum + one.changes.length, 0);
  const delays = delaysOf(history, () => true);
  const signals = streams.reduce(
    (sum, { messages }) => sum + messages.filter(({ type }) => type === 'notified').length,
    0,
  );
  const rows: [string, string][] = [
    ['length', `${Math.round((history.overAt - Math.min(...streams.map(({ askedAt }) => askedAt))) / 1_000)} s`],
    ['streams acknowledged', String(streams.filter(({ acknowledgedAt }) => Number.isFinite(acknowledgedAt)).length)],
    ['listens refused', String(streams.filter(({ refusal }) => refusal !== undefined).length)],
    ['notifications', String(signals)],
    ['publishes: accepted / refused for good / unclear', counts(attempts.map(({ status }) => answerOf(status)))],
    ['changes accepted', String(changes)],
    ['changes × streams that had to be told', String(delays.length)],
    ['delay from publish to frame: p50 / p99 / max', quantiles(delays)],
    ['unclear publishes that hosts heard of / the last after its answer', afterlives(history)],
    ['gaps', String(history.gaps.length)],
    [
      'catch-ups / changes caught up',
      `${history.catchUps.length} / ${sum(history.catchUps.map(({ missed }) => missed))}`,
    ],
    ['streams closed by instances', tally(history.closes.map(({ reason }) => reason))],
    ['streams as hosts saw them end', tally(streams.flatMap(({ ending }) => ending ?? []))],
  ];
  return { head: ['', ''], rows };
}

const ANSWERS = ['accepted', 'refused', 'unclear'] as const;

function answerOf(status: number): (typeof ANSWERS)[number] {
  if (status === 202) return 'accepted';
  return status >= 400 && status < 500 ? 'refused' : 'unclear';
}

function counts(answers: readonly (typeof ANSWERS)[number][]): string {
  return ANSWERS.map((answer) => answers.filter((one) => one === answer).length).join(' / ');
}

function faults(history: History): Table {
  const byName = [...Map.groupBy(history.faults, ({ name }) => name)];
  return {
    head: ['fault', 'times', 'lasted', 'recovery', 'publishes', 'delay', 'gaps', 'caught up'],
    rows: byName.map(([name, times]) => faultRow(history, name, times)),
  };
}

function faultRow(history: History, name: string, times: readonly FaultRecord[]): string[] {
  const during = (at: number) => times.some((fault) => at >= fault.at && at <= (fault.settledAt ?? history.overAt));
  const recoveries = times.map(({ healedAt, settledAt }) => (settledAt ?? Number.POSITIVE_INFINITY) - healedAt);
  return [
    name,
    String(times.length),
    range(times.map(({ at, healedAt }) => healedAt - at)),
    range(recoveries),
    counts(history.attempts.filter(({ askedAt }) => during(askedAt)).map(({ status }) => answerOf(status))),
    quantiles(delaysOf(history, during)),
    String(history.gaps.filter(({ at }) => during(at - LOG_DELAY_MS)).length),
    String(sum(history.catchUps.filter(({ at }) => during(at - LOG_DELAY_MS)).map(({ missed }) => missed))),
  ];
}

/** Logs are read a moment after what they tell of. */
const LOG_DELAY_MS = 250;

const known = new WeakMap<History, readonly { readonly at: number; readonly delayMs: number }[]>();

/** From the begin of a publish to the frame, for what was signalled on streams that did not stall. */
function delaysOf(history: History, began: (at: number) => boolean): number[] {
  let all = known.get(history);
  if (all === undefined) {
    all = [...deliveries(history)].flatMap(({ attempt, stream, signalledAt }) => {
      if (signalledAt === undefined || stream.stalls.length > 0) return [];
      return { at: attempt.askedAt, delayMs: signalledAt - attempt.askedAt };
    });
    known.set(history, all);
  }
  return all.filter(({ at }) => began(at)).map(({ delayMs }) => Math.max(0, delayMs));
}

function quantiles(values: readonly number[]): string {
  if (values.length === 0) return '–';
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return [at(0.5), at(0.99), at(1)].map(duration).join(' / ');
}

function range(values: readonly number[]): string {
  const [least, most] = [duration(Math.min(...values)), duration(Math.max(...values))];
  return least === most ? least : `${least} – ${most}`;
}

function tally(values: readonly string[]): string {
  const groups = [...Map.groupBy(values, (value) => value)].toSorted(([one], [other]) => one.localeCompare(other));
  return groups.map(([value, { length }]) => `${value} ${length}`).join(', ') || '–';
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function violationTable(violations: readonly Violation[]): Table {
  const groups = Map.groupBy(violations, ({ kind, where = '' }) => `${kind} ${where}`);
  return {
    head: ['violation', 'where', 'times', 'the first'],
    rows: [...groups.values()].map((group) => [
      group[0]!.kind,
      group[0]!.where ?? '',
      String(group.length),
      group[0]!.text,
    ]),
  };
}
