import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * The proxies whose word on where a request came from is taken. Whoever connects directly can write X-Forwarded headers
 * too, so from any other peer they count for nothing.
 */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  /** `ranges`: addresses, or networks such as `10.0.0.0/8`. */
  constructor(ranges: readonly string[] = []) {
    this.#isEmpty = ranges.length === 0;
    for (const range of ranges) {
      const { address, bits, family } = readRange(range);
      this.#list.addSubnet(address, bits, family);
    }
  }

  /** Whether this request came by one of them. */
  believes({ socket }: IncomingMessage): boolean {
    return this.#includes(socket.remoteAddress);
  }

  /** The address of the host: the last one of the way that is no trusted proxy; undefined once it has left. */
  addressOf({ headers, socket }: IncomingMessage): string | undefined {
    const peer = socket.remoteAddress;
    if (!this.#includes(peer)) return peer;
    const way = [headers['x-forwarded-for'] ?? []]
      .flat()
      .join(',')
      .split(',')
      .map((hop) => hop.trim());
    const addresses = way.filter((hop) => isIP(hop) !== 0);
    // What a hop wrote that is no address may hide anything before it.
    if (addresses.length < way.length) return peer;
    return addresses.findLast((address) => !this.#includes(address)) ?? addresses[0];
  }

  #includes(address: string | undefined): boolean {
    if (this.#isEmpty) return false;
    const version = isIP(address ?? '');
    return version !== 0 && this.#list.check(address as string, version === 4 ? 'ipv4' : 'ipv6');
  }
}

/** Whether a text is an address or a network. */
export function isRange(range: string): boolean {
  const { address, bits, family } = readRange(range);
  const width = family === 'ipv4' ? 32 : 128;
  return isIP(address) !== 0 && Number.isInteger(bits) && bits >= 0 && bits <= width;
}

function readRange(range: string): {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
} {
  const [address = '', bits, ...rest] = range.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) return { address, bits: family === 'ipv4' ? 32 : 128, family };
  return { address, bits: /^\d{1,3}$/.test(bits) && rest.length === 0 ? Number(bits) : Number.NaN, family };
}
