import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace, type Workspace } from './workspace.ts';

interface Guard {
  readonly title: string;
  readonly rule: string;
  readonly text: string;
  /** The file in which the text must be found wanting. */
  readonly wrong: string;
  /** The file in which `rightText`, or the same text, must pass. */
  readonly right: string;
  readonly rightText?: string;
}

const lines = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n)).join('');
const long = (count: number) =>
  `export function long(): number[] {\n${lines(count, (n) => `  numbers.push(${n});\n`)}}\n`;
const branches = (count: number) =>
  `export function pick(n: number): number {\n${lines(count, (n) => `  if (n > ${n}) n--;\n`)}  return n;\n}\n`;

const GUARDS: readonly Guard[] = [
  {
    title: 'hono outside src/http',
    rule: 'lint/style/noRestrictedImports',
    text: "export { Hono } from 'hono';\n",
    wrong: 'services/gateway/src/hono.ts',
    right: 'services/gateway/src/http/hono.ts',
  },
  {
    title: 'a part of hono outside src/http',
    rule: 'lint/style/noRestrictedImports',
    text: "export { cors } from 'hono/cors';\n",
    wrong: 'packages/service-kit/src/cors.ts',
    right: 'packages/service-kit/src/http/cors.ts',
  },
  {
    title: 'the server of hono outside src/http',
    rule: 'lint/style/noRestrictedImports',
    text: "export { serve } from '@hono/node-server';\n",
    wrong: 'services/publisher/src/serve.ts',
    right: 'services/publisher/src/http/serve.ts',
  },
  {
    title: 'prom-client outside metrics.ts',
    rule: 'lint/style/noRestrictedImports',
    text: "export { Counter } from 'prom-client';\n",
    wrong: 'services/gateway/src/http/counter.ts',
    right: 'services/gateway/src/metrics.ts',
  },
  {
    title: 'pino outside log.ts, as a type too',
    rule: 'lint/style/noRestrictedImports',
    text: "export type { Logger } from 'pino';\n",
    wrong: 'packages/service-kit/src/logger.ts',
    right: 'packages/service-kit/src/log.ts',
  },
  {
    title: 'ioredis outside packages/broker-redis',
    rule: 'lint/style/noRestrictedImports',
    text: "export { Redis } from 'ioredis';\n",
    wrong: 'services/gateway/src/redis.ts',
    right: 'packages/broker-redis/src/redis.ts',
  },
  {
    title: 'the testkit outside tests',
    rule: 'lint/style/noRestrictedImports',
    text: "export { folder } from '@listen-gateway/testkit';\n",
    wrong: 'packages/core/src/rehearsal.ts',
    right: 'packages/core/src/rehearsal.test.ts',
  },
  {
    title: 'process.env outside config.ts',
    rule: 'lint/style/noProcessEnv',
    text: "export const home = process.env['HOME'];\n",
    wrong: 'packages/service-kit/src/home.ts',
    right: 'packages/service-kit/src/config.ts',
  },
  {
    title: 'env of node:process outside config.ts',
    rule: 'lint/style/noRestrictedImports',
    text: "export { env } from 'node:process';\n",
    wrong: 'services/gateway/src/env.ts',
    right: 'services/gateway/src/config.ts',
  },
  {
    title: 'console in a service',
    rule: 'lint/suspicious/noConsole',
    text: "console.log('here');\n",
    wrong: 'services/publisher/src/shout.ts',
    right: 'packages/cli/src/shout.ts',
  },
  {
    title: 'a default export',
    rule: 'lint/style/noDefaultExport',
    text: 'export default 1;\n',
    wrong: 'packages/core/src/nameless.ts',
    right: 'some.config.ts',
  },
  {
    title: 'export *',
    rule: 'lint/performance/noReExportAll',
    text: "export * from './index.ts';\n",
    wrong: 'packages/core/src/barrel.ts',
    right: 'packages/core/src/names.ts',
    rightText: "export { folder } from './index.ts';\n",
  },
  {
    title: 'a file name that is not kebab-case',
    rule: 'lint/style/useFilenamingConvention',
    text: 'export const name = 1;\n',
    wrong: 'packages/core/src/camelCase.ts',
    right: 'packages/core/src/kebab-case.race.test.ts',
  },
  {
    title: 'a file over 250 lines',
    rule: 'lint/style/noExcessiveLinesPerFile',
    text: lines(251, (n) => `export const n${n} = ${n};\n`),
    wrong: 'packages/core/src/novel.ts',
    right: 'packages/core/src/chapter.ts',
    rightText: lines(250, (n) => `export const n${n} = ${n};\n`),
  },
  {
    title: 'a function over 50 lines',
    rule: 'lint/complexity/noExcessiveLinesPerFunction',
    text: `const numbers: number[] = [];\n${long(51)}`,
    wrong: 'packages/core/src/long.ts',
    right: 'packages/core/src/short.ts',
    rightText: `const numbers: number[] = [];\n${long(40)}`,
  },
  {
    title: 'a function of more than 4 parameters',
    rule: 'lint/complexity/useMaxParams',
    text: 'export const sum = (a: number, b: number, c: number, d: number, e: number) => a + b + c + d + e;\n',
    wrong: 'packages/core/src/five.ts',
    right: 'packages/core/src/four.ts',
    rightText: 'export const sum = (a: number, b: number, c: number, d: number) => a + b + c + d;\n',
  },
  {
    title: 'a function of too many branches',
    rule: 'lint/complexity/noExcessiveCognitiveComplexity',
    text: branches(16),
    wrong: 'packages/core/src/thicket.ts',
    right: 'packages/core/src/path.ts',
    rightText: branches(15),
  },
  {
    title: 'a promise that nobody awaits',
    rule: 'lint/nursery/noFloatingPromises',
    text: 'async function work(): Promise<void> {}\n\nwork();\n',
    wrong: 'packages/service-kit/src/floating.ts',
    right: 'packages/service-kit/src/awaited.ts',
    rightText: 'async function work(): Promise<void> {}\n\nawait work();\n',
  },
  {
    title: 'a promise of another package that nobody awaits',
    rule: 'lint/nursery/noFloatingPromises',
    text: "import { settle } from '@listen-gateway/core';\n\nsettle();\n",
    wrong: 'services/gateway/src/floating.ts',
    right: 'services/gateway/src/awaited.ts',
    rightText: "import { settle } from '@listen-gateway/core';\n\nawait settle();\n",
  },
  {
    title: 'a promise used as a condition',
    rule: 'lint/nursery/noMisusedPromises',
    text: 'const ready = Promise.resolve(false);\n\nexport const answer = ready ? 1 : 2;\n',
    wrong: 'packages/service-kit/src/truthy.ts',
    right: 'packages/service-kit/src/settled.ts',
    rightText: 'const ready = Promise.resolve(false);\n\nexport const answer = (await ready) ? 1 : 2;\n',
  },
  {
    title: 'a switch that leaves a member of its union out',
    rule: 'lint/nursery/useExhaustiveSwitchCases',
    text: "type Phase = 'open' | 'closed';\nexport function say(phase: Phase): void {\n  switch (phase) {\n    case 'open':\n      say('closed');\n  }\n}\n",
    wrong: 'packages/core/src/partial.ts',
    right: 'packages/core/src/total.ts',
    rightText:
      "type Phase = 'open' | 'closed';\nexport function say(phase: Phase): void {\n  switch (phase) {\n    case 'open':\n      say('closed');\n      break;\n    case 'closed':\n      break;\n  }\n}\n",
  },
  {
    title: 'files that import each other',
    rule: 'lint/suspicious/noImportCycles',
    text: "import { self } from './ouroboros.ts';\n\nexport const other = () => self;\n",
    wrong: 'packages/core/src/serpent.ts',
    right: 'packages/core/src/acyclic.ts',
    rightText: "import { folder } from './index.ts';\n\nexport const other = () => folder;\n",
  },
  {
    title: 'a skipped test',
    rule: 'lint/suspicious/noSkippedTests',
    text: "import { it } from 'vitest';\n\nit.skip('is left out', () => {});\n",
    wrong: 'packages/core/src/skipped.test.ts',
    right: 'packages/core/src/run.test.ts',
    rightText: "import { it } from 'vitest';\n\nit('is run', () => {});\n",
  },
  {
    title: 'a focused test',
    rule: 'lint/suspicious/noFocusedTests',
    text: "import { it } from 'vitest';\n\nit.only('is run alone', () => {});\n",
    wrong: 'test/e2e/focused.test.ts',
    right: 'test/e2e/equal.test.ts',
    rightText: "import { it } from 'vitest';\n\nit('is run with the others', () => {});\n",
  },
];

describe('the linter', () => {
  let workspace: Workspace;
  let found: ReadonlyMap<string, readonly string[]>;

  beforeAll(async () => {
    workspace = openWorkspace();
    workspace.write(
      'packages/core/src/index.ts',
      'export const folder = 1;\n\nexport async function settle(): Promise<void> {}\n',
    );
    workspace.write(
      'packages/core/src/ouroboros.ts',
      "import { other } from './serpent.ts';\n\nexport const self = () => other;\n",
    );
    for (const guard of GUARDS) {
      workspace.write(guard.wrong, guard.text);
      workspace.write(guard.right, guard.rightText ?? guard.text);
    }
    const { stdout } = await workspace.run('biome', 'lint', '--reporter=json', '--max-diagnostics=none', '.');
    found = errorsByFile(stdout);
  });
  afterAll(() => workspace.close());

  it.each(GUARDS)('refuses $title', ({ rule, wrong }) => {
    expect(found.get(wrong)).toContain(rule);
  });

  it.each(GUARDS)('knows the right place or form for $title', ({ right }) => {
    expect(found.get(right) ?? []).toEqual([]);
  });
});

interface Diagnostic {
  readonly severity: string;
  readonly category: string;
  readonly location: { readonly path: string };
}

function errorsByFile(report: string): ReadonlyMap<string, readonly string[]> {
  const { diagnostics } = JSON.parse(report) as { readonly diagnostics: readonly Diagnostic[] };
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const byFile = Map.groupBy(errors, ({ location }) => location.path);
  return new Map(Array.from(byFile, ([path, those]) => [path, those.map(({ category }) => category)]));
}
