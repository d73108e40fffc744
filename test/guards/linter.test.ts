import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LINTER_GUARDS } from './linter-guards.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

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
    for (const guard of LINTER_GUARDS) {
      workspace.write(guard.wrong, guard.text);
      workspace.write(guard.right, guard.rightText ?? guard.text);
    }
    const { stdout } = await workspace.run('biome', 'lint', '--reporter=json', '--max-diagnostics=none', '.');
    found = errorsByFile(stdout);
  });
  afterAll(() => workspace.close());

  it.each(LINTER_GUARDS)('refuses $title', ({ rule, wrong }) => {
    expect(found.get(wrong)).toContain(rule);
  });

  it.each(LINTER_GUARDS)('knows the right place or form for $title', ({ right }) => {
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
