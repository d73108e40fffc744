import { isIPv4, isIPv6 } from 'node:net';
import type { ServerId } from '@listen-gateway/protocol';

/** Who a listen counts for: a principal of a server, or an address where nobody was asked. */
export interface Holder {
  readonly kind: 'principal' | 'address';
  readonly name: string;
}

/** The holder of a listen; a subject is unique on its server alone. */
export function holderOf(serverId: ServerId, subject: string | undefined, address: string | undefined): Holder {
  if (subject !== undefined) return { kind: 'principal', name: `${serverId} ${subject}` };
  return { kind: 'address', name: networkOf(address ?? '') };
}

/** An IPv6 host chooses the last 64 bits of its address itself, so what counts are the first. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  const all = [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
