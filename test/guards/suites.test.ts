import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT, run } from './workspace.ts';

describe('every test file', () => {
  // A pattern that a new folder escapes would leave its tests out, and everything stays green.
  it('belongs to exactly one suite', async () => {
    const { stdout } = await run(ROOT, 'vitest', ['list', '--filesOnly', '--json']);
    const listed = (JSON.parse(stdout) as { readonly file: string }[]).map(({ file }) => file.slice(ROOT.length + 1));
    const written = globSync('{packages,services,test}/**/*.test.ts', {
      cwd: ROOT,
      exclude: (name) => name === 'node_modules' || name === 'dist',
    });
    expect(listed.sort()).toEqual(written.sort());
  });
});
