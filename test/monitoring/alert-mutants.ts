import { parser } from '@prometheus-io/lezer-promql';
import type { AlertRule } from './rules.ts';

/** A rule that is not quite the shipped one, for which some rule test must therefore fail. */
export interface Mutant {
  readonly what: string;
  readonly rule: AlertRule;
}

/** One that never fires, one that always does, and for each threshold and duration one that is looser and one that is stricter. */
export function mutantsOf(rule: AlertRule): readonly Mutant[] {
  const { for: _, ...withoutFor } = rule;
  return [
    { what: 'never fires', rule: { ...rule, expr: 'vector(0) > 1' } },
    { what: 'always fires', rule: { ...withoutFor, expr: 'vector(1)' } },
    ...otherThresholds(rule.expr).map(({ what, expr }) => ({ what, rule: { ...rule, expr } })),
    ...otherDurations(rule.for).map((duration) => ({ what: `for: ${duration}`, rule: { ...rule, for: duration } })),
  ];
}

/** The numbers that the query compares with or multiplies by, each a quarter smaller and larger; counts by one at least. */
function otherThresholds(expr: string): readonly { readonly what: string; readonly expr: string }[] {
  const mutants: { what: string; expr: string }[] = [];
  parser.parse(expr).iterate({
    enter: ({ name, from, to, node }) => {
      const number = Number(expr.slice(from, to));
      if (name !== 'NumberDurationLiteral' || node.parent?.name !== 'BinaryExpr' || number === 0) return;
      const step = node.parent.getChild('Gte') === null ? number / 4 : Math.max(1, number / 4);
      for (const exact of [number - step, number + step]) {
        const other = Number(exact.toPrecision(6));
        mutants.push({
          what: `${expr.slice(0, to).split('\n').at(-1)?.trim()} → ${other}`,
          expr: expr.slice(0, from) + other + expr.slice(to),
        });
      }
    },
  });
  return mutants;
}

function otherDurations(duration: string | undefined): readonly string[] {
  const minutes = Number.parseInt(duration ?? '0', 10);
  return minutes === 0 ? ['1m'] : [`${minutes - 1}m`, `${minutes + 1}m`];
}
