import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkspace, type Workspace } from './workspace.ts';

const FORBIDDEN: readonly (readonly [from: string, to: string])[] = [
  ['packages/protocol', 'core'],
  ['packages/core', 'broker-redis'],
  ['packages/broker-redis', 'service-kit'],
  ['packages/service-kit', 'service-gateway'],
  ['services/publisher', 'service-gateway'],
  ['services/gateway', 'testkit'],
];

describe('the boundaries between packages', () => {
  let workspace: Workspace;

  beforeEach(() => {
    workspace = openWorkspace();
  });
  afterEach(() => workspace.close());

  it('hold in a workspace that keeps the direction', async () => {
    const { exitCode, sentences } = await workspace.run('turbo', 'boundaries');
    expect(sentences).toContain('no issues found');
    expect(exitCode).toBe(0);
  });

  it.each(FORBIDDEN)('keep %s from depending on %s', async (folder, name) => {
    const to = `@listen-gateway/${name}`;
    workspace.depend(folder, to);
    const { exitCode, sentences } = await workspace.run('turbo', 'boundaries');
    expect(sentences).toContain(
      `Package \`${to}\` found without any tag listed in allowlist for \`${nameOf(folder)}\``,
    );
    expect(exitCode).not.toBe(0);
  });

  it('let standalone depend on a service', async () => {
    workspace.depend('services/standalone', '@listen-gateway/service-gateway');
    workspace.depend('services/standalone', '@listen-gateway/service-publisher');
    const { sentences } = await workspace.run('turbo', 'boundaries');
    expect(sentences).toContain('no issues found');
  });

  it('refuse an import that the manifest does not declare', async () => {
    workspace.write('packages/core/src/stray.ts', "export { folder } from '@listen-gateway/service-kit';\n");
    const { sentences } = await workspace.run('turbo', 'boundaries');
    expect(sentences).toContain('cannot import package `@listen-gateway/service-kit` because it is not a dependency');
  });

  it('refuse a path that leaves the package', async () => {
    workspace.write('packages/core/src/stray.ts', "export { folder } from '../../service-kit/src/index.ts';\n");
    const { sentences } = await workspace.run('turbo', 'boundaries');
    expect(sentences).toContain('import `../../service-kit/src/index.ts` leaves the package');
  });
});

function nameOf(folder: string): string {
  return `@listen-gateway/${folder.replace('packages/', '').replace('services/', 'service-')}`;
}
