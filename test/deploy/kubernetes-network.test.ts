import type { INetworkPolicySpec } from 'kubernetes-models/networking.k8s.io/v1';
import { describe, expect, it } from 'vitest';
import { type Direction, isLetThrough, type Peer, type Protocol } from './kubernetes-traffic.ts';
import { findManifest, type Labels, type Manifest, renderComponents, renderManifests } from './manifests.ts';
import { readShipped } from './repository.ts';

type Policy = Manifest<INetworkPolicySpec>;
const policiesOf = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => kind === 'NetworkPolicy') as readonly Manifest<unknown>[] as readonly Policy[];

const component = await renderComponents('network-policy');
const production = await renderManifests('overlays/production');

const labelled = (label: string): Peer => ({ namespace: { [`listen-gateway/${label}`]: 'true' }, pod: { app: 'any' } });
const kubeSystem = { 'kubernetes.io/metadata.name': 'kube-system' };
const PEERS = {
  hosts: labelled('hosts'),
  backends: labelled('backends'),
  monitoring: labelled('monitoring'),
  redis: labelled('redis'),
  upstreams: labelled('upstreams'),
  'Redis beside it': { namespace: {}, pod: { 'app.kubernetes.io/name': 'redis' }, isNeighbour: true },
  'Redis in a namespace that nobody named': { namespace: {}, pod: { 'app.kubernetes.io/name': 'redis' } },
  'any pod beside it': { namespace: {}, pod: { app: 'any' }, isNeighbour: true },
  'any pod elsewhere': { namespace: {}, pod: { app: 'any' } },
  DNS: { namespace: kubeSystem, pod: { 'k8s-app': 'kube-dns' } },
  'any pod beside DNS': { namespace: kubeSystem, pod: { app: 'any' } },
  'an issuer': { address: '203.0.113.7' },
  'an issuer by IPv6': { address: '2001:db8::7' },
  'a private address': { address: '10.1.2.3' },
  "the cloud's metadata": { address: '169.254.169.254' },
  'a private address by IPv6': { address: 'fd00::1' },
  'Redis at an address': { address: '192.0.2.10' },
} satisfies Readonly<Record<string, Peer>>;
type PeerName = keyof typeof PEERS;
const PORTS = [53, 80, 443, 3000, 4318, 5432, 6379, 6380, 8080, 8081, 9090, 26379];

/** What a pod may be reached by or reach, as `port/protocol`; peers without anything are left out. */
function letThrough(manifests: readonly Manifest[], deployment: string, direction: Direction) {
  const { metadata, spec } = findManifest(manifests, 'Deployment', deployment).spec.template;
  const pod = { labels: metadata.labels, spec };
  const ports = (peer: Peer, protocol: Protocol) =>
    PORTS.filter((port) => isLetThrough(policiesOf(manifests), pod, direction, { peer, port, protocol }));
  const all = Object.entries(PEERS).map(([name, peer]) => {
    const tcp = ports(peer, 'TCP');
    const udp = ports(peer, 'UDP').map((port) => `${port}/udp`);
    return [name as PeerName, [...(tcp.length === PORTS.length ? ['all'] : tcp), ...udp].join(' ')] as const;
  });
  return Object.fromEntries(all.filter(([, list]) => list !== ''));
}

const EVERYWHERE = {
  monitoring: '4318',
  DNS: '53 53/udp',
  'an issuer': '443',
  'an issuer by IPv6': '443',
};
const REDIS_IN_THE_CLUSTER = { redis: '6379 26379', 'Redis beside it': '6379 26379', 'Redis at an address': '443' };

describe('the network policies', () => {
  it('let hosts reach the gateway, backends the publisher, and monitoring the admin ports; nobody anything else', () => {
    for (const manifests of [component, production]) {
      expect(letThrough(manifests, 'gateway', 'Ingress')).toEqual({ hosts: '8080', monitoring: '9090' });
      expect(letThrough(manifests, 'publisher', 'Ingress')).toEqual({ backends: '8081', monitoring: '9090' });
    }
  });

  it('let both reach DNS, Redis and what is asked by HTTPS outside, and the gateway upstreams; never what is private', () => {
    const both = { ...EVERYWHERE, ...REDIS_IN_THE_CLUSTER };
    expect(letThrough(component, 'publisher', 'Egress')).toEqual(both);
    expect(letThrough(component, 'gateway', 'Egress')).toEqual({ ...both, upstreams: 'all' });
  });

  it('lead, in the production overlay, to the Redis that its operator names and to no other', () => {
    const both = { ...EVERYWHERE, 'Redis at an address': '443 6379' };
    expect(letThrough(production, 'publisher', 'Egress')).toEqual(both);
    expect(letThrough(production, 'gateway', 'Egress')).toEqual({ ...both, upstreams: 'all' });
  });

  it('are about our pods alone', () => {
    const stranger = {
      labels: { 'app.kubernetes.io/name': 'redis' },
      spec: findManifest(component, 'Deployment', 'gateway').spec.template.spec,
    };
    const connection = { peer: PEERS['any pod beside it'], port: 6379, protocol: 'TCP' } as const;
    expect(isLetThrough(policiesOf(component), stranger, 'Ingress', connection)).toBe(true);
    for (const { spec } of policiesOf(component)) {
      expect(spec.podSelector?.matchLabels).toMatchObject({ 'app.kubernetes.io/name': 'listen-gateway' });
    }
  });

  it('shut what none of them opens: without the others nothing passes, without any everything would', () => {
    const deny = component.filter(({ kind, metadata }) => kind !== 'NetworkPolicy' || metadata.name === 'default-deny');
    const none = component.filter(({ kind }) => kind !== 'NetworkPolicy');
    for (const service of ['gateway', 'publisher']) {
      for (const direction of ['Ingress', 'Egress'] as const) {
        expect(letThrough(deny, service, direction)).toEqual({});
        expect(Object.keys(letThrough(none, service, direction))).toEqual(Object.keys(PEERS));
      }
    }
  });

  it('would be found to open a port too many', () => {
    const opened = component.map((manifest) => {
      if (manifest.kind !== 'NetworkPolicy') return manifest;
      return JSON.parse(JSON.stringify(manifest).replace('"port":"admin"', '"port":"http"')) as Manifest;
    });
    expect(letThrough(opened, 'gateway', 'Ingress')).toEqual({ hosts: '8080', monitoring: '8080' });
  });
});

describe('the labels that let namespaces in', () => {
  it('are those that the component tells operators to set', () => {
    const used = policiesOf(component).flatMap(({ spec }) =>
      [
        ...(spec.ingress ?? []).flatMap(({ from = [] }) => from),
        ...(spec.egress ?? []).flatMap(({ to = [] }) => to),
      ].flatMap(({ namespaceSelector }) => Object.keys((namespaceSelector?.matchLabels ?? {}) as Labels)),
    );
    const ours = new Set(used.filter((label) => label.startsWith('listen-gateway/')));
    const told = readShipped('k8s/components/network-policy/kustomization.yaml').matchAll(
      / (listen-gateway\/\w+)=true/g,
    );
    expect(Array.from(told, ([, label]) => label).sort()).toEqual([...ours].sort());
  });
});
