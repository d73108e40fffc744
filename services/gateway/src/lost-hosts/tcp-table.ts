import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';

/** What tells one TCP connection of this machine from another. */
export interface ConnectionEnds {
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/**
 * The connections that the kernel is sending to anew because the peer acknowledges nothing, by `connectionKey`. Bytes
 * that merely wait for an acknowledgement say nothing: on a busy stream there are always some.
 *
 * `table` is the text of Linux' /proc/net/tcp or tcp6 (proc(5)): local and remote end in hexadecimal, state, queues,
 * timer, and the number of retransmissions without an answer.
 */
export function retransmitting(table: string): Set<string> {
  const keys = new Set<string>();
  for (const [, localPort, remoteAddress, remotePort] of table.matchAll(RETRANSMITTING)) {
    keys.add(`${localPort} ${remoteAddress}:${remotePort}`);
  }
  return keys;
}

/** The tables of this machine, or of the container that the process runs in; rejects where there is no Linux. */
export function readTcpTables(): Promise<string[]> {
  return Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'latin1')));
}

/** Names a connection as the kernel's table does; undefined for one that is over. */
export function connectionKey({ localPort, remoteAddress, remotePort }: ConnectionEnds): string | undefined {
  if (localPort === undefined || remoteAddress === undefined || remotePort === undefined) return undefined;
  const address = isIPv4(remoteAddress) ? hexWords(bytesOfIpv4(remoteAddress)) : hexWords(bytesOfIpv6(remoteAddress));
  return `${hexPort(localPort)} ${address}:${hexPort(remotePort)}`;
}

/** A line in state 01, established, with a queue to send and a count of retransmissions that is not zero. */
const RETRANSMITTING =
  /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) 01 (?!00000000)[0-9A-F]{8}:[0-9A-F]{8} \w+:\w+ (?!00000000)[0-9A-F]{8} /gm;

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/** Addresses stand in the table as words of four bytes in the machine's order, which on every machine of ours is little-endian. */
function hexWords(bytes: readonly number[]): string {
  let hex = '';
  for (let word = 0; word < bytes.length; word += 4) {
    for (const byte of bytes.slice(word, word + 4).reverse()) hex += byte.toString(16).padStart(2, '0');
  }
  return hex.toUpperCase();
}

function bytesOfIpv4(address: string): number[] {
  return address.split('.').map(Number);
}

/** Reads an address as Node prints it: `::` stands for as many zeros as are missing, and a mapped address ends in dots. */
function bytesOfIpv6(address: string): number[] {
  const [zoneless = ''] = address.split('%');
  const [head = '', tail] = zoneless.split('::');
  const before = bytesOfGroups(head);
  if (tail === undefined) return before;
  const after = bytesOfGroups(tail);
  return [...before, ...new Array<number>(16 - before.length - after.length).fill(0), ...after];
}

function bytesOfGroups(groups: string): number[] {
  if (groups === '') return [];
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return bytesOfIpv4(group);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
