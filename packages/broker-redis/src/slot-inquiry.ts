import { Redis } from 'ioredis';
import { type Address, connectionOptions, seeds } from './connection-options.ts';
import { ignoreLateErrors } from './late-errors.ts';
import type { RedisNode } from './redis-node.ts';
import type { RedisSettings } from './redis-options.ts';
import { readSlots, type SlotMap } from './slot-map.ts';

/** Nodes asked at once. */
const ASKED_AT_ONCE = 3;

/**
 * Asks a few of the known masters which of them is in charge of what, and if none answers, every address there is.
 * Believes only a node that finds the cluster well: one that was cut off still names itself.
 */
export async function inquireSlots(settings: RedisSettings, known: ReadonlyMap<Address, RedisNode>): Promise<SlotMap> {
  const up = [...known].filter(([, { commands }]) => commands.isUp);
  const some = up
    .map((node) => ({ node, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, ASKED_AT_ONCE);
  const askKnown = some.map(({ node: [address, { commands }] }) => commands.run((client) => ask(client, address)));
  try {
    return await Promise.any(askKnown);
  } catch {
    return await firstOf([...known.keys(), ...seeds(settings)].map((address) => visit(settings, address)));
  }
}

/** Asks over a connection of its own. */
async function visit(settings: RedisSettings, address: Address): Promise<SlotMap> {
  const once = { lazyConnect: true, enableReadyCheck: false, retryStrategy: null };
  const client = new Redis({
    ...connectionOptions(settings, address),
    ...once,
    connectionName: `${settings.name}:slots`,
  });
  // `connect` rejects with the same; without a listener ioredis prints it.
  client.on('error', () => {});
  try {
    await client.connect();
    return await ask(client, address);
  } finally {
    ignoreLateErrors(client);
    client.disconnect();
  }
}

async function ask(client: Redis, address: Address): Promise<SlotMap> {
  const [state, slots] = await Promise.all([client.cluster('INFO'), client.cluster('SLOTS')]);
  if (/^cluster_state:ok/m.test(String(state))) return readSlots(slots, address);
  throw new Error(`node ${address.host}:${address.port} says that the cluster is down`);
}

async function firstOf<T>(promises: Promise<T>[]): Promise<T> {
  try {
    return await Promise.any(promises);
  } catch (cause) {
    // The last of them is a seed's, which an operator knows.
    throw cause instanceof AggregateError ? cause.errors.at(-1) : cause;
  }
}
