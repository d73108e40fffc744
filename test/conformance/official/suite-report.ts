import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** One check as the official suite records it. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string | undefined;
}

/** The checks of each scenario that has run, by the scenario's name. */
export type SuiteReport = ReadonlyMap<string, readonly Check[]>;

const Checks = z.array(
  z.object({
    id: z.string(),
    status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
    errorMessage: z.string().optional(),
  }),
);

// The suite writes one folder for each scenario: `server-<scenario>-<time of the run>`, with a slash as a subfolder.
const RESULT_FOLDER = /^server-(?<scenario>.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/** Reads what a run of the suite wrote to its output folder. */
export async function readReport(outputDir: string): Promise<SuiteReport> {
  const report = new Map<string, readonly Check[]>();
  for (const folder of await readdir(outputDir)) {
    const scenario = RESULT_FOLDER.exec(folder)?.groups?.scenario;
    if (scenario === undefined) throw new Error(`${folder} in ${outputDir} is not the result of a scenario`);
    report.set(scenario, Checks.parse(JSON.parse(await readFile(join(outputDir, folder, 'checks.json'), 'utf8'))));
  }
  return report;
}
