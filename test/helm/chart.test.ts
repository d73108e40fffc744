import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { objectProblems } from '../deploy/kubernetes-types.ts';
import { readShipped } from '../deploy/repository.ts';
import { CHART, type KubernetesObject, render, runHelm, template } from './chart.ts';
import { HELM_MS } from './helm-program.ts';

/** What is rendered here, and the arguments that say so. */
const VALUES: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['the default values', []],
  ...globSync('ci/*-values.yaml', { cwd: CHART }).map((file) => [file, ['--values', join(CHART, file)]] as const),
];
const about = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Readonly<Record<string, string>>;

describe('the chart', { timeout: HELM_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'listen-gateway-chart-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('ships the version that this is', () => {
    const { version } = JSON.parse(readShipped('package.json')) as { readonly version: string };
    expect(about.appVersion).toBe(version);
    expect(about.version).toBe(version);
  });

  it('is for clusters that have what its pods ask for', async () => {
    const old = await template({}, ['--kube-version', '1.29']);
    expect(old.stderr).toContain(about.kubeVersion);
    const managed = await template({}, ['--kube-version', 'v1.30.5-gke.1014001']);
    expect(managed.ok).toBe(true);
  });

  // Written again by: npx vitest run --project helm chart.test -u
  it.each(['recording', 'alerts'])(
    'has a copy of deploy/prometheus/%s.yaml, for files elsewhere are not packed',
    async (name) => {
      const rules = readShipped(`deploy/prometheus/${name}.yaml`);
      await expect(rules).toMatchFileSnapshot(join(CHART, 'files', `${name}.yaml`));
    },
  );

  it('is packed without what only tests need, and is the same when it is unpacked', async () => {
    const packed = await runHelm('package', CHART, '--destination', folder);
    expect(packed).toMatchObject({ ok: true });
    const archive = join(folder, `listen-gateway-${about.version}.tgz`);
    const unpacked = await template({ prometheusRule: { enabled: true } }, [], archive);
    const here = await template({ prometheusRule: { enabled: true } });
    expect(unpacked).toEqual(here);
    const files = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' });
    expect(files).toContain('listen-gateway/values.schema.json');
    expect(files).not.toContain('/ci/');
  });

  it.each(VALUES)('passes the strict lint with %s', async (_, args) => {
    const { ok, stdout } = await runHelm('lint', '--strict', CHART, ...args);
    expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
    expect(ok).toBe(true);
  });

  it('makes objects that Kubernetes knows, whole', { timeout: 2 * HELM_MS }, async () => {
    const rendered = await Promise.all(VALUES.map(([, args]) => render({}, args)));
    expect(await objectProblems(rendered.flat())).toEqual([]);
    const wrong = structuredClone(rendered[0]?.find(({ kind }) => kind === 'Deployment')) as KubernetesObject;
    wrong.spec.template.spec.restartpolicy = 'Always';
    expect(await objectProblems([wrong])).toContainEqual(expect.stringContaining('restartpolicy'));
  });
});
