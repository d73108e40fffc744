import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace, type Workspace } from './workspace.ts';

/** What the pure packages must not see: each would be a clock, a socket or an environment that came in through no port. */
const AMBIENT: Readonly<Record<string, string>> = {
  'a timer': 'export const timer = setTimeout(() => {}, 5);',
  fetch: "export const response = fetch('http://localhost');",
  process: 'export const arch = process.arch;',
  console: "console.log('here');",
  Buffer: "export const bytes = Buffer.from('here');",
  'a module of Node': "export { readFileSync } from 'node:fs';",
  'the DOM': 'export const title = document.title;',
};

const PURE = ['packages/protocol', 'packages/core'];
const file = (folder: string, title: string) => `${folder}/src/${title.replaceAll(' ', '-').toLowerCase()}.ts`;

describe('the compiler', () => {
  let workspace: Workspace;
  let failed: string;

  beforeAll(async () => {
    workspace = openWorkspace();
    for (const [title, text] of Object.entries(AMBIENT)) {
      for (const folder of [...PURE, 'packages/service-kit']) workspace.write(file(folder, title), `${text}\n`);
    }
    workspace.write('packages/core/src/pure.ts', 'export const later = (nowMs: number) => Math.max(nowMs, 5);\n');
    workspace.write('packages/core/src/enum.ts', 'export enum Phase {\n  Open,\n}\n');
    failed = (await workspace.run('tsc', '-b', '--pretty', 'false', ...PURE, 'packages/service-kit')).stdout;
  });
  afterAll(() => workspace.close());

  describe.each(PURE)('in %s', (folder) => {
    it.each(Object.keys(AMBIENT))('does not know %s', (title) => {
      const complaint = failed.split('\n').find((line) => line.startsWith(file(folder, title)));
      expect(complaint).toMatch(/: error TS(2304|2584|2591): Cannot find name/);
    });
  });

  it('compiles code that asks for nothing', () => {
    expect(failed).not.toContain('packages/core/src/pure.ts');
  });

  it.each(Object.keys(AMBIENT).filter((title) => title !== 'the DOM'))(
    'knows %s outside the pure packages',
    (title) => {
      expect(failed).not.toContain(file('packages/service-kit', title));
    },
  );

  it('refuses syntax that Node cannot strip', () => {
    expect(failed).toContain('packages/core/src/enum.ts(1,13): error TS1294:');
  });
});
