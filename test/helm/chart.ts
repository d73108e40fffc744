import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { REPOSITORY } from '../deploy/repository.ts';
import { ensureHelm } from './helm-program.ts';

/** An object of Kubernetes, as Helm or kustomize writes it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Texts;
    readonly annotations?: Texts;
  };
  // biome-ignore lint/suspicious/noExplicitAny: what stands in a spec differs from kind to kind, and tests ask for it by path
  readonly [member: string]: any;
}

export type Texts = Readonly<Record<string, string>>;

/** What a chart is rendered with. */
export type Values = Readonly<Record<string, unknown>>;

/** What Helm said. */
export interface HelmAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export const CHART = join(REPOSITORY, 'deploy', 'helm', 'listen-gateway');

/** The release that tests render, and what the names of its objects begin with. */
export const RELEASE = 'acme';
export const PREFIX = `${RELEASE}-listen-gateway`;

/** Runs Helm without the plugins of whoever runs the tests; nothing here asks a cluster. */
export async function runHelm(...args: readonly string[]): Promise<HelmAnswer> {
  const program = await ensureHelm();
  const env = { ...process.env, HELM_NO_PLUGINS: '1' };
  return new Promise((settle) => {
    execFile(program, args, { env, timeout: 60_000, maxBuffer: 2 ** 24 }, (failure, stdout, stderr) =>
      settle({ ok: failure === null, stdout, stderr }),
    );
  });
}

/** `helm template` with these values, and with further arguments. */
export async function template(values: Values, args: readonly string[] = [], chart = CHART): Promise<HelmAnswer> {
  const folder = await mkdtemp(join(tmpdir(), 'listen-gateway-values-'));
  try {
    const file = join(folder, 'values.yaml');
    await writeFile(file, stringify(values));
    return await runHelm('template', RELEASE, chart, '--kube-version', '1.34', '--values', file, ...args);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The objects that the chart makes of these values. */
export async function render(values: Values, args: readonly string[] = []): Promise<readonly KubernetesObject[]> {
  const { ok, stdout, stderr } = await template(values, args);
  if (!ok) throw new Error(`helm template refused:\n${stderr}`);
  // Helm warns of values that do not fit together and goes on.
  if (/: warning: |symbolic link/.test(stderr)) throw new Error(`helm template warned:\n${stderr}`);
  return parseObjects(stdout);
}

/** Why the chart refuses these values. */
export async function refusal(values: Values, args: readonly string[] = []): Promise<string> {
  const { ok, stderr } = await template(values, args);
  if (ok) throw new Error(`helm template took ${JSON.stringify(values)}`);
  return stderr;
}

/** The objects in a stream of YAML documents, those that are empty left out. */
export function parseObjects(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
}

/** The one object of that kind, and of that name where there are more. */
export function find(objects: readonly KubernetesObject[], kind: string, name = ''): KubernetesObject {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name.endsWith(name));
  if (found.length !== 1) throw new Error(`there are ${found.length} of ${kind} ${name}`);
  return found[0] as KubernetesObject;
}

/** The pod of a service: its metadata and spec. */
export function podOf(objects: readonly KubernetesObject[], service: 'gateway' | 'publisher') {
  const { metadata, spec } = find(objects, 'Deployment', service).spec.template;
  return { metadata, spec, container: spec.containers[0] };
}
