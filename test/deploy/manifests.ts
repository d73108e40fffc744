import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { renderKustomization } from '@listen-gateway/testkit';
import { parseAllDocuments, stringify } from 'yaml';
import { REPOSITORY } from './repository.ts';

/** As much of a container as these tests ask about. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly resources: { readonly requests: Amounts; readonly limits: Amounts };
  readonly securityContext: object;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Amounts {
  readonly cpu?: string;
  readonly memory: string;
}

/** Files of a pod, from a ConfigMap or a Secret. */
export interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
}

/** What a pod is made of. */
export interface PodSpec {
  readonly terminationGracePeriodSeconds?: number;
  readonly priorityClassName?: string;
  readonly securityContext: { readonly runAsUser?: number };
  readonly volumes?: readonly Volume[];
  readonly topologySpreadConstraints?: readonly {
    readonly topologyKey: string;
    readonly whenUnsatisfiable: string;
    readonly labelSelector: Selector;
  }[];
  readonly containers: readonly [Container];
}

export type Labels = Readonly<Record<string, string>>;

export interface Selector {
  readonly matchLabels: Labels;
}

/** What the Deployments, Services and disruption budgets of ours say. */
export interface Spec {
  readonly replicas?: number;
  readonly strategy?: object;
  readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  readonly selector: Labels & Selector;
  readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
  readonly maxUnavailable?: number;
}

/** A Kubernetes object as it would be applied; objects of other kinds are asked for with the type of their `spec`. */
export interface Manifest<S = Spec> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly spec: S;
  /** Of a ConfigMap or Secret. */
  readonly data?: Readonly<Record<string, string>>;
}

/** What `kubectl apply -k k8s/<folder>` would apply. */
export async function renderManifests(folder: string): Promise<readonly Manifest[]> {
  return parseManifests(await renderKustomization(join(REPOSITORY, 'k8s', folder)));
}

/** The same of an overlay that takes these components in and has a namespace, as an operator would write one. */
export async function renderComponents(...components: readonly string[]): Promise<readonly Manifest[]> {
  // Kustomize takes no absolute path, and follows links before it looks for relative ones.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'listen-gateway-overlay-')));
  const shipped = (path: string) => relative(folder, join(REPOSITORY, 'k8s', path));
  const overlay = {
    namespace: 'listen-gateway',
    resources: [shipped('base')],
    components: components.map((component) => shipped(`components/${component}`)),
  };
  try {
    await writeFile(join(folder, 'kustomization.yaml'), stringify(overlay));
    return parseManifests(await renderKustomization(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The object of that name. */
export function findManifest<S = Spec>(among: readonly Manifest[], kind: string, name: string): Manifest<S> {
  const found = among.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found as Manifest<unknown> as Manifest<S>;
}

/** The pod that a Deployment makes. */
export function podOf(among: readonly Manifest[], deployment: string): PodSpec {
  return findManifest(among, 'Deployment', deployment).spec.template.spec;
}

/** Reads what a kustomization rendered to. */
export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}
