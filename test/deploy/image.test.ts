import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY, readShipped } from './repository.ts';
import { EXPOSED, imageEnvironment, SERVICES, settingProblems } from './service-settings.ts';

const dockerfile = readShipped('deploy/Dockerfile');

interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readPackage = (folder: string) => JSON.parse(readShipped(`${folder}/package.json`)) as Package;
const folders = globSync('{packages,services}/*/package.json', { cwd: REPOSITORY }).map(dirname);
const folderOf = new Map(folders.map((folder) => [readPackage(folder).name, folder]));

/** The workspaces that one runs with, itself included. */
function closure(folder: string): readonly string[] {
  const needed = Object.keys(readPackage(folder).dependencies ?? {}).flatMap((name) => folderOf.get(name) ?? []);
  return [...new Set([folder, ...needed.flatMap(closure)])].sort();
}

describe('the image', () => {
  it('is built by an engine of any age: no syntax line, no heredoc, no linked copy', () => {
    expect(dockerfile).not.toMatch(/^# *syntax|<<|--link|--mount/m);
  });

  it('is installed from the manifests of what the standalone service runs with, every service among it', () => {
    const copied = Array.from(dockerfile.matchAll(/^COPY (\S+)\/package\.json (\S+)\/$/gm), ([, from, to]) => {
      expect(to).toBe(from);
      return from;
    });
    expect(copied.toSorted()).toEqual(closure('services/standalone'));
    expect(copied).toEqual(expect.arrayContaining(folders.filter((folder) => folder.startsWith('services/'))));
  });

  it('sets nothing that a service would not take', () => {
    expect(Object.keys(imageEnvironment())).toEqual(['LG_LISTEN__HOST', 'LG_PUBLISHER__HOST', 'LG_ADMIN__HOST']);
    for (const service of SERVICES) expect(settingProblems(service, EXPOSED)).toEqual([]);
  });

  it('lets no stranger in that nobody invited: each service says what it needs to be told, and refuses to start', () => {
    expect(settingProblems('gateway', {})).toEqual([expect.stringContaining('http.exposeWithoutAuthentication')]);
    expect(settingProblems('publisher', {})).toEqual([
      expect.stringContaining('publisher.exposeWithoutAuthentication'),
    ]);
    expect(settingProblems('standalone', {})).not.toEqual([]);
  });

  it('carries the version that this is', () => {
    expect(dockerfile).toContain(`ARG VERSION=${readPackage('.').version}\n`);
  });

  it('is not root', () => {
    expect(dockerfile.match(/^USER .*$/gm)).toEqual(['USER 1000:1000']);
  });
});
