import { parse } from 'yaml';
import { type KubernetesObject, PREFIX, RELEASE, type Texts } from './chart.ts';

/** What Helm's own conventions add to every object, and what they say here. */
const HELM_LABELS: readonly (readonly [string, RegExp])[] = [
  ['helm.sh/chart', /^listen-gateway-\d+\.\d+\.\d+$/],
  ['app.kubernetes.io/instance', new RegExp(`^${RELEASE}$`)],
  ['app.kubernetes.io/version', /^\d+\.\d+\.\d+$/],
  ['app.kubernetes.io/managed-by', /^Helm$/],
];

/**
 * What the chart rendered, without what Helm has and kustomize has not, each of which must be there: its labels, the release's
 * name before every name and in every selector, and the digest of the configuration on pods.
 */
export function fromHelm(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return sorted(
    objects.map((object) => {
      const labels = without(object.metadata.labels ?? {}, HELM_LABELS, `${object.kind} ${object.metadata.name}`);
      const { metadata, ...rest } = rewrite(object, shortened) as KubernetesObject;
      const normalized = { ...rest, metadata: { ...metadata, labels } } as KubernetesObject;
      if (object.kind === 'Deployment') dropDigest(normalized);
      return withParsedConfig(normalized);
    }),
  );
}

/** What kustomize built, without the digest with which it names the ConfigMap instead. */
export function fromKustomize(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const named = objects.find(({ kind }) => kind === 'ConfigMap')?.metadata.name ?? '';
  if (!/^config-[a-z0-9]{10}$/.test(named)) throw new Error(`the ConfigMap is called ${named}`);
  const plain = (value: string) => (value === named ? 'config' : value);
  return sorted(objects.map((object) => withParsedConfig(rewrite(object, plain) as KubernetesObject)));
}

/** The same objects with the lists of pods, whose order means nothing, in one order: kustomize puts first what a patch names. */
export function withoutOrder(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return JSON.parse(JSON.stringify(objects), (name, value) =>
    POD_LISTS.has(name) ? value.map((member: object) => JSON.stringify(member, orderedMembers)).sort() : value,
  ) as readonly KubernetesObject[];
}

const POD_LISTS = new Set(['env', 'volumes', 'volumeMounts', 'topologySpreadConstraints']);

function orderedMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A value with all of its texts rewritten, and without the label that tells releases apart. */
function rewrite(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((member) => rewrite(member, text));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, member]) => name !== HELM_LABELS[1]?.[0] || member !== RELEASE);
  return Object.fromEntries(kept.map(([name, member]) => [name, rewrite(member, text)]));
}

function shortened(value: string): string {
  // What is there once for all of a release is called by its name alone.
  if (value === PREFIX) return 'listen-gateway';
  return value.startsWith(`${PREFIX}-`) ? value.slice(PREFIX.length + 1) : value;
}

function without(texts: Texts, expected: typeof HELM_LABELS, what: string): Texts {
  const rest = { ...texts };
  for (const [name, value] of expected) {
    if (!value.test(rest[name] ?? '')) throw new Error(`${what} has ${name}: ${rest[name]}, not ${value}`);
    delete rest[name];
  }
  return rest;
}

function dropDigest({ metadata: { name }, spec }: KubernetesObject): void {
  const { metadata } = spec.template;
  const rest = without(metadata.annotations ?? {}, [['checksum/config', /^[0-9a-f]{64}$/]], `the pod of ${name}`);
  if (Object.keys(rest).length > 0) metadata.annotations = rest;
  else delete metadata.annotations;
}

/** The settings count, not how their file is written. */
function withParsedConfig(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'ConfigMap') return object;
  return { ...object, data: { 'listen-gateway.yaml': parse(object.data['listen-gateway.yaml']) } };
}

function sorted(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const key = ({ kind, metadata: { name } }: KubernetesObject) => `${kind} ${name}`;
  return objects.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}
