import { EVERYWHERE, type FaultKind } from '../fault.ts';
import type { World } from '../world.ts';

/** Every receive connection is ended by Redis. */
export const receiveConnectionsKilled: FaultKind = {
  name: 'receive connections killed',
  on: EVERYWHERE,
  plan: () => ({
    name: 'receive connections killed',
    holdMs: 0,
    inject: (world) => killClients(world, 'pubsub'),
    heal: async () => {},
  }),
};

/** Every connection for commands is ended by Redis. */
export const commandConnectionsKilled: FaultKind = {
  name: 'command connections killed',
  on: EVERYWHERE,
  plan: () => ({
    name: 'command connections killed',
    holdMs: 0,
    inject: (world) => killClients(world, 'normal'),
    heal: async () => {},
  }),
};

async function killClients(world: World, type: 'pubsub' | 'normal'): Promise<{ readonly evidence: string }> {
  const masters = await world.backbone.masters();
  const killed = await Promise.all(
    masters.map((master) => master.cli('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes')),
  );
  const connections = killed.reduce<number>((sum, count) => sum + Number(count), 0);
  if (connections === 0) throw new Error(`there was no ${type} connection to kill`);
  return { evidence: `${connections} connections` };
}
