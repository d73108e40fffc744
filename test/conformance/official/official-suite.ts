import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Baseline, judge, readBaseline, type Verdict } from './baseline.ts';
import { readReport, type SuiteReport } from './suite-report.ts';

/** The revision whose frozen requirements are run. */
const REVISION = '2026-07-28';

/** A run takes 8 seconds on an idle machine; the suite has no time limit of its own. */
export const SUITE_MS = 120_000;

/** What came of a run of the official suite. */
export interface SuiteRun {
  readonly report: SuiteReport;
  readonly verdict: Verdict;
  /** The exit code of the suite: 0 where its own comparison with the baseline finds no difference. */
  readonly exitCode: number | null;
  /** What it printed, for a person to read. */
  readonly output: string;
  readonly durationMs: number;
}

const require = createRequire(import.meta.url);
const installed = dirname(require.resolve('@modelcontextprotocol/conformance/package.json'));

/** Runs every scenario that the revision requires of a server against the endpoint at `url`. */
export async function runOfficialSuite(url: string, baselineFile: string): Promise<SuiteRun> {
  const baseline: Baseline = await readBaseline(baselineFile);
  const outputDir = await mkdtemp(join(tmpdir(), 'listen-gateway-official-'));
  try {
    const started = performance.now();
    const { exitCode, output } = await runProgram([
      'server',
      ...['--url', url],
      ...['--requirements', REVISION],
      ...['--expected-failures', baselineFile],
      ...['--output-dir', outputDir],
    ]);
    const durationMs = Math.round(performance.now() - started);
    const report = await readReport(outputDir);
    return { report, verdict: judge(report, await scoredScenarios(), baseline), exitCode, output, durationMs };
  } finally {
    await rm(outputDir, { recursive: true, force: true });
  }
}

/** The scenarios that count, as the suite's own list of requirements names them. */
export async function scoredScenarios(): Promise<readonly string[]> {
  const file = await readFile(join(installed, 'requirements', `${REVISION}.yaml`), 'utf8');
  return z.object({ server: z.array(z.string()).min(1) }).parse(parse(file)).server;
}

async function runProgram(args: readonly string[]): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn(process.execPath, [join(installed, 'dist', 'index.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: SUITE_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [exitCode, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (signal) throw new Error(`the official suite was ended by ${signal} after at most ${SUITE_MS} ms:\n${output}`);
  return { exitCode, output };
}
