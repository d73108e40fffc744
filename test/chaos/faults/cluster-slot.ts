import type { RedisProcess } from '@listen-gateway/testkit';
import { slotName } from '../backbone.ts';
import { cluster, type FaultKind } from '../fault.ts';
import { between, pick } from '../random.ts';
import type { World } from '../world.ts';

/** The master of a server's slot is killed, and its replica takes over what it has copied. */
export const slotMasterKilled: FaultKind = {
  name: 'master of a slot killed',
  on: ['cluster'],
  plan: (random) => {
    const part = random();
    let killed: RedisProcess | undefined;
    return {
      name: 'master of a slot killed',
      holdMs: between(random, 0, 1_000),
      inject: async (world) => {
        const { cluster: nodes } = cluster(world);
        const slot = someSlot(world, part);
        killed = await nodes.masterOf(slot);
        await killed.kill();
        await nodes.failedOver(slot, killed);
        return { mayGap: true };
      },
      heal: async () => {
        await killed?.start();
        killed = undefined;
      },
    };
  },
};

/** The master of a server's slot stands still until its replica has taken over, and wakes up. */
export const slotMasterFrozen: FaultKind = {
  name: 'master of a slot frozen',
  on: ['cluster'],
  plan: (random) => {
    const part = random();
    let frozen: RedisProcess | undefined;
    return {
      name: 'master of a slot frozen',
      holdMs: between(random, 0, 6_000),
      inject: async (world) => {
        const { cluster: nodes } = cluster(world);
        const slot = someSlot(world, part);
        frozen = await nodes.masterOf(slot);
        frozen.pause();
        await nodes.failedOver(slot, frozen);
        return { mayGap: true };
      },
      heal: async () => {
        frozen?.resume();
        frozen = undefined;
      },
    };
  },
};

/** The slot of a server moves to another master, with its journal, under way. */
export const slotMoved: FaultKind = {
  name: 'slot moved',
  on: ['cluster'],
  plan: (random) => {
    const part = random();
    return {
      name: 'slot moved',
      holdMs: 0,
      inject: async (world) => {
        const { cluster: nodes } = cluster(world);
        const slot = someSlot(world, part);
        await nodes.moveSlot(slot, await nodes.masterBeside(slot));
        return { evidence: slot };
      },
      heal: async () => {},
    };
  },
};

function someSlot(world: World, part: number): string {
  return slotName(pick(() => part, world.setting.population.servers));
}
