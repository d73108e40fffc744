import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { KubernetesObject } from './chart.ts';

/** As much of the API of Kubernetes as Helm asks of it to install and upgrade a release; it keeps objects and starts no pods. */
export interface KubernetesApi {
  readonly url: string;
  /** What stands in the cluster now. */
  find(kind: string, name: string): KubernetesObject;
  /** As an autoscaler does it. */
  scale(deployment: string, replicas: number): void;
  close(): Promise<void>;
}

/** The kinds that there are, by the name of their group and version, with what their paths are called. */
const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  v1: { ConfigMap: 'configmaps', Secret: 'secrets', Service: 'services' },
  'apps/v1': { Deployment: 'deployments' },
  'policy/v1': { PodDisruptionBudget: 'poddisruptionbudgets' },
  'autoscaling/v2': { HorizontalPodAutoscaler: 'horizontalpodautoscalers' },
};

interface Answer {
  readonly status: number;
  readonly body: object;
}

export async function openKubernetesApi(): Promise<KubernetesApi> {
  const objects = new Map<string, KubernetesObject>();
  const server = createServer((request, response) => void serve(objects, request, response));
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const find = (kind: string, name: string) => {
    const found = [...objects.values()].find((object) => object.kind === kind && object.metadata.name === name);
    if (found === undefined) throw new Error(`the cluster has no ${kind} ${name}`);
    return found;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    find,
    scale: (deployment, replicas) => {
      find('Deployment', deployment).spec.replicas = replicas;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((settle) => server.close(settle));
    },
  };
}

async function serve(objects: Map<string, KubernetesObject>, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '', 'http://kubernetes');
  const body = await text(request);
  const { status, body: answer } = discovery(url.pathname) ?? answerTo(objects, request.method ?? '', url, body);
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
}

/** What there is to ask for. */
function discovery(path: string): Answer | undefined {
  if (path === '/version') return found({ major: '1', minor: '34', gitVersion: 'v1.34.0' });
  if (path === '/api') return found({ kind: 'APIVersions', versions: ['v1'] });
  if (path === '/apis') {
    const groups = Object.keys(KINDS)
      .filter((groupVersion) => groupVersion.includes('/'))
      .map((groupVersion) => {
        const [name, version] = groupVersion.split('/');
        return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
      });
    return found({ kind: 'APIGroupList', apiVersion: 'v1', groups });
  }
  const kinds = KINDS[path.replace(/^\/apis?\//, '')];
  if (kinds === undefined) return undefined;
  const resources = Object.entries(kinds).map(([kind, name]) => ({ name, kind, namespaced: true, verbs: ['get'] }));
  return found({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: path.replace(/^\/apis?\//, ''), resources });
}

function answerTo(objects: Map<string, KubernetesObject>, method: string, url: URL, body: string): Answer {
  const [, folder = '', name] = /^(.*\/namespaces\/[^/]+\/[^/]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
  if (name === undefined && method === 'GET')
    return found(listOf(objects, folder, url.searchParams.get('labelSelector')));
  const key = `${folder}/${name ?? (JSON.parse(body) as KubernetesObject).metadata.name}`;
  const object = objects.get(key);
  if (method === 'POST') return kept(objects, key, JSON.parse(body), 201);
  if (object === undefined)
    return { status: 404, body: { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 } };
  if (method === 'PUT') return kept(objects, key, JSON.parse(body));
  if (method === 'PATCH') return kept(objects, key, merge(object, JSON.parse(body)) as KubernetesObject);
  if (method === 'DELETE') objects.delete(key);
  return found(object);
}

const found = (body: object): Answer => ({ status: 200, body });

function listOf(objects: Map<string, KubernetesObject>, folder: string, selector: string | null): object {
  const wanted = (selector ?? '')
    .split(',')
    .filter((one) => one !== '')
    .map((one) => one.split('='));
  const items = [...objects]
    .filter(([key]) => key.startsWith(`${folder}/`))
    .map(([, object]) => object)
    .filter(({ metadata }) => wanted.every(([label = '', value]) => metadata.labels?.[label] === value));
  return { kind: 'SecretList', apiVersion: 'v1', metadata: {}, items };
}

function kept(objects: Map<string, KubernetesObject>, key: string, object: KubernetesObject, status = 200): Answer {
  // The default of Kubernetes, which is what a chart that takes its number away gets.
  if (object.kind === 'Deployment') object.spec.replicas ??= 1;
  objects.set(key, object);
  return { status, body: object };
}

/** A patch as far as members go, null taking one away; lists are as the patch has them. */
function merge(value: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = { ...(value as object) };
  for (const [name, member] of Object.entries(patch)) {
    if (member === null) delete merged[name];
    else merged[name] = merge(merged[name], member);
  }
  return merged;
}
