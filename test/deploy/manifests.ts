import { readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { REPOSITORY } from './repository.ts';

/** As much of a container as these tests ask about. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly resources: { readonly requests: Amounts; readonly limits: Amounts };
  readonly securityContext: object;
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Amounts {
  readonly cpu?: string;
  readonly memory: string;
}

/** What a pod is made of. */
export interface PodSpec {
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: { readonly runAsUser?: number };
  readonly volumes?: readonly object[];
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string }[];
  readonly containers: readonly [Container];
}

/** A Kubernetes object as its file says it, before kustomize adds to it. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly spec: {
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    readonly selector: Labels & { readonly matchLabels?: Labels };
    readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
    readonly maxUnavailable?: number;
  };
}

export type Labels = Readonly<Record<string, string>>;

interface Kustomization {
  readonly resources: readonly string[];
  readonly images?: readonly { readonly name: string; readonly newTag: string }[];
  readonly configMapGenerator?: readonly { readonly name: string; readonly files: readonly string[] }[];
  readonly patches?: readonly { readonly target: { readonly name: string }; readonly patch: string }[];
  readonly secretGenerator?: readonly { readonly name: string; readonly literals: readonly string[] }[];
}

/** The kustomization of a folder of `k8s`. */
export function readKustomization(folder: string): Kustomization {
  return parse(readFileSync(join(REPOSITORY, 'k8s', folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
}

/** Every object that the kustomization of a folder of `k8s` names, those of the folders beneath it included. */
export function readManifests(folder: string): readonly Manifest[] {
  return readKustomization(folder).resources.flatMap((resource) => {
    const path = join(REPOSITORY, 'k8s', folder, resource);
    if (statSync(path).isDirectory()) return readManifests(relative(join(REPOSITORY, 'k8s'), path));
    return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as Manifest);
  });
}
