import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FOLDERS, ROOT, readManifest } from './workspace.ts';

const TAGS = ['protocol', 'core', 'adapter', 'service', 'assembly', 'testkit', 'test'];
const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<string, unknown>;

describe.each(FOLDERS)('the workspace %s', (folder) => {
  // A package without a tag may import anything, and turbo says nothing.
  it('carries one of the tags that the boundaries know', () => {
    expect(TAGS).toContain((read(`${folder}/turbo.json`).tags as readonly string[]).join());
  });

  it('keeps the testkit out of what ships', () => {
    expect(Object.keys(readManifest(join(ROOT, folder)).dependencies ?? {})).not.toContain('@listen-gateway/testkit');
  });

  it('asks for the version of every workspace that it uses', () => {
    const { dependencies, devDependencies } = readManifest(join(ROOT, folder));
    const own = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith('@listen-gateway/'),
    );
    expect(own.filter(([, range]) => range !== '0.1.0')).toEqual([]);
  });
});

describe.each(FOLDERS.filter((folder) => folder !== 'test'))('the package %s', (folder) => {
  it('is type-checked and built from the root', () => {
    expect(read('tsconfig.json').references).toContainEqual({ path: folder });
  });

  it('shows its source to whoever runs or checks from source', () => {
    const { exports } = read(`${folder}/package.json`) as { exports: Record<'.', Record<string, string>> };
    expect(Object.keys(exports['.'])[0]).toBe('listen-gateway');
    const source = exports['.']['listen-gateway'];
    expect(exports['.'].types).toBe(source);
    expect(existsSync(join(ROOT, folder, source ?? ''))).toBe(true);
  });

  it('is seen by the type-check of the tests', () => {
    expect(read('tsconfig.test.json').references).toContainEqual({ path: folder });
  });
});

describe.each(FOLDERS.filter((folder) => !/test(kit)?$/.test(folder)))('the package %s, which ships,', (folder) => {
  it('is built', () => {
    expect(read(`${folder}/package.json`).scripts).toMatchObject({ build: 'tsc -b' });
  });
});
