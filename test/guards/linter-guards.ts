/** A rule of the linter: a text, a file in which it is wrong, and one in which it is right. */
export interface LinterGuard {
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

/** Every rule that this project relies on beyond those that Biome recommends. */
export const LINTER_GUARDS: readonly LinterGuard[] = [
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
    title: 'OpenTelemetry outside src/tracing',
    rule: 'lint/style/noRestrictedImports',
    text: "export { NodeSDK } from '@opentelemetry/sdk-node';\n",
    wrong: 'packages/service-kit/src/sdk.ts',
    right: 'packages/service-kit/src/tracing/sdk.ts',
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
