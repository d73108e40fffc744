import slotOf from 'cluster-key-slot';
import type { Address } from './connection-options.ts';

const SLOTS = 16_384;

/** Which master of a cluster is in charge of which slot. */
export class SlotMap {
  /** By `host:port`. */
  readonly masters: ReadonlyMap<string, Address>;
  readonly #owners: readonly (string | undefined)[];

  constructor(ranges: readonly SlotRange[]) {
    const owners = new Array<string | undefined>(SLOTS);
    for (const { first, last, master } of ranges) owners.fill(nameOf(master), first, last + 1);
    this.#owners = owners;
    this.masters = new Map(ranges.map(({ master }) => [nameOf(master), master]));
  }

  /** `host:port` of the master in charge of a key or channel. */
  ownerOf(name: string): string | undefined {
    return this.#owners[slotOf(name)];
  }

  /** Whether some master is in charge of every slot. */
  get isWhole(): boolean {
    return !this.#owners.includes(undefined);
  }
}

export interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly master: Address;
}

/** Reads the reply to CLUSTER SLOTS; a node that does not know its own host is at the one that was asked. */
export function readSlots(reply: unknown, asked: Address): SlotMap {
  const ranges = (reply as RawRange[]).flatMap(([first, last, master]): SlotRange[] => {
    // Redis writes `?` where the other end is not to know.
    if (!master || master[0] === '?') return [];
    const [host, port] = master;
    return [{ first, last, master: { host: host || asked.host, port } }];
  });
  return new SlotMap(ranges);
}

type RawRange = [first: number, last: number, master?: [host: string | null, port: number, ...more: unknown[]]];

function nameOf({ host, port }: Address): string {
  return `${host}:${port}`;
}
