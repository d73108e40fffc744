import { BlockList, isIPv6 } from 'node:net';
import type {
  INetworkPolicyPeer,
  INetworkPolicyPort,
  INetworkPolicySpec,
} from 'kubernetes-models/networking.k8s.io/v1';
import type { Labels, Manifest, PodSpec, Selector } from './manifests.ts';

/** Who is at the other end of a connection: a pod somewhere in the cluster, or an address outside of it. */
export type Peer =
  | { readonly namespace: Labels; readonly pod: Labels; readonly isNeighbour?: boolean }
  | { readonly address: string };

/** A pod that policies may select, with the ports that it names. */
export interface SelectablePod {
  readonly labels: Labels;
  readonly spec: PodSpec;
}

export type Direction = 'Ingress' | 'Egress';
export type Protocol = 'TCP' | 'UDP';

/** Whether a network plugin lets a connection of this pod through; policies only add to what is let through. */
export function isLetThrough(
  policies: readonly Manifest<INetworkPolicySpec>[],
  pod: SelectablePod,
  direction: Direction,
  { peer, port, protocol }: { readonly peer: Peer; readonly port: number; readonly protocol: Protocol },
): boolean {
  const inForce = policies.filter(
    ({ spec }) => selects(spec.podSelector ?? {}, pod.labels) && spec.policyTypes?.includes(direction),
  );
  if (inForce.length === 0) return true;
  return inForce.some(({ spec }) => {
    const rules =
      direction === 'Ingress'
        ? (spec.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
        : (spec.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }));
    return rules.some(
      ({ peers = [], ports = [] }) =>
        (peers.length === 0 || peers.some((one) => isPeer(one, peer))) &&
        (ports.length === 0 || ports.some((one) => isPort(one, { port, protocol, named: namedPorts(pod, direction) }))),
    );
  });
}

function isPeer({ ipBlock, namespaceSelector, podSelector }: INetworkPolicyPeer, peer: Peer): boolean {
  if ('address' in peer) return ipBlock !== undefined && isWithin(ipBlock, peer.address);
  if (ipBlock !== undefined) return false;
  const isThere =
    namespaceSelector === undefined ? peer.isNeighbour === true : selects(namespaceSelector, peer.namespace);
  return isThere && selects(podSelector ?? {}, peer.pod);
}

function isPort(
  { port: wanted, protocol: spoken = 'TCP' }: INetworkPolicyPort,
  { port, protocol, named }: { readonly port: number; readonly protocol: Protocol; readonly named: Labels },
): boolean {
  if (spoken !== protocol) return false;
  return wanted === undefined || String(port) === (typeof wanted === 'number' ? String(wanted) : named[wanted]);
}

/** A name means a port of the pod that the connection goes to; of those elsewhere nothing is known here. */
function namedPorts({ spec }: SelectablePod, direction: Direction): Labels {
  if (direction === 'Egress') return {};
  return Object.fromEntries(
    spec.containers.flatMap(({ ports }) => ports.map(({ name, containerPort }) => [name, String(containerPort)])),
  );
}

function isWithin(
  { cidr, except = [] }: { readonly cidr: string; readonly except?: readonly string[] },
  address: string,
): boolean {
  // To Node every IPv4 address is in ::/0 too, mapped; to a network plugin none is.
  const spoken = family(address);
  if (family(cidr.replace(/\/.*/, '')) !== spoken) return false;
  return listOf([cidr]).check(address, spoken) && !listOf(except).check(address, spoken);
}

function listOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/');
    list.addSubnet(network, Number(bits), family(network));
  }
  return list;
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** None of ours selects by expressions; one that did would be taken for one that selects everything. */
function selects({ matchLabels = {}, ...rest }: Partial<Selector> & object, labels: Labels): boolean {
  if (Object.keys(rest).length > 0) throw new Error(`only matchLabels are understood, not ${Object.keys(rest)}`);
  return Object.entries(matchLabels).every(([label, value]) => labels[label] === value);
}
