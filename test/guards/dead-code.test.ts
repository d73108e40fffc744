import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace, type Workspace } from './workspace.ts';

interface Issue {
  readonly file: string;
  readonly files: readonly unknown[];
  readonly exports: readonly { readonly name: string }[];
  readonly unlisted: readonly { readonly name: string }[];
  readonly dependencies: readonly { readonly name: string }[];
}

describe('the search for dead code', () => {
  let workspace: Workspace;
  let issues: readonly Issue[];

  beforeAll(async () => {
    workspace = openWorkspace();
    workspace.write('packages/core/src/index.ts', "export { wanted } from './parts.ts';\n");
    workspace.write('packages/core/src/parts.ts', 'export const wanted = 1;\n\nexport const unwanted = 2;\n');
    workspace.write('packages/core/src/forgotten.ts', 'export const forgotten = 3;\n');
    workspace.write(
      'services/gateway/src/main.ts',
      "import 'left-pad';\nimport { wanted } from '@listen-gateway/core';\n\nvoid wanted;\n",
    );
    workspace.depend('packages/core', 'left-pad');
    const { stdout } = await workspace.run(
      'knip',
      '--reporter',
      'json',
      '--include',
      'files,exports,unlisted,dependencies',
    );
    issues = (JSON.parse(stdout) as { readonly issues: readonly Issue[] }).issues;
  });
  afterAll(() => workspace.close());

  const about = (file: string) => issues.find((issue) => issue.file === file);

  it('finds an export that nobody imports, and spares the one beside it', () => {
    expect(about('packages/core/src/parts.ts')?.exports.map(({ name }) => name)).toEqual(['unwanted']);
  });

  it('finds a file that nobody imports', () => {
    expect(about('packages/core/src/forgotten.ts')?.files).toHaveLength(1);
  });

  it('finds a dependency that nobody uses', () => {
    expect(about('packages/core/package.json')?.dependencies.map(({ name }) => name)).toContain('left-pad');
  });

  it('finds an import that no manifest lists', () => {
    expect(about('services/gateway/src/main.ts')?.unlisted.map(({ name }) => name)).toEqual(['left-pad']);
  });

  it('spares what an entry point reaches', () => {
    expect(about('packages/core/src/index.ts')).toBeUndefined();
  });
});
