import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { SuiteReport } from './suite-report.ts';

/**
 * What is known not to pass: `scenario`, when all of it may fail, or `scenario:check`. `server` is the suite's own
 * format, so that the file serves its `--expected-failures` too; `skipped` is ours, since a skipped check proves nothing.
 */
export interface Baseline {
  readonly server: readonly string[];
  readonly skipped: readonly string[];
}

/** How a run differs from its baseline; all empty where the baseline is exact. */
export interface Verdict {
  /** Scored scenarios that did not run. */
  readonly missing: readonly string[];
  /** What failed or was skipped without standing in the baseline, with the reason that the suite gives. */
  readonly unexpected: readonly string[];
  /** Entries of the baseline that did not come true, because they pass now or do not exist. */
  readonly stale: readonly string[];
}

const Entries = z.array(z.string()).nullish();
const BaselineFile = z.strictObject({ server: Entries, skipped: Entries });

/** Reads a baseline file. */
export async function readBaseline(path: string): Promise<Baseline> {
  const file = BaselineFile.parse(parse(await readFile(path, 'utf8')) ?? {});
  return { server: file.server ?? [], skipped: file.skipped ?? [] };
}

/**
 * Compares the scored scenarios of a run with the baseline. Stricter than the suite's own comparison, which lets pass a
 * check that was skipped, and an entry for a scenario or check that is not there.
 */
export function judge(report: SuiteReport, scored: readonly string[], baseline: Baseline): Verdict {
  const cameTrue = new Set<string>();
  const unexpected: string[] = [];
  const allows = (entry: string) => {
    const known = baseline.server.includes(entry) || baseline.skipped.includes(entry);
    if (known) cameTrue.add(entry);
    return known;
  };
  for (const scenario of scored) {
    for (const { id, status, errorMessage } of report.get(scenario) ?? []) {
      const failed = status === 'FAILURE' || status === 'WARNING';
      if (!failed && status !== 'SKIPPED') continue;
      const known = (failed && allows(scenario)) || allows(`${scenario}:${id}`);
      if (!known) unexpected.push(`${scenario}:${id} ${status} ${errorMessage ?? ''}`.trim());
    }
  }
  return {
    missing: scored.filter((scenario) => !report.has(scenario)),
    unexpected,
    stale: [...baseline.server, ...baseline.skipped].filter((entry) => !cameTrue.has(entry)),
  };
}
