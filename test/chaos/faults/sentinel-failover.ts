import type { RedisProcess } from '@listen-gateway/testkit';
import { everyService, type FaultKind, NOTICED, sentinels } from '../fault.ts';
import { between } from '../random.ts';

/** The sentinels make the replica the master although all is well. */
export const failoverOrdered: FaultKind = {
  name: 'failover ordered',
  on: ['sentinel'],
  plan: () => ({
    name: 'failover ordered',
    holdMs: 0,
    inject: async (world) => {
      const { port } = await sentinels(world).sentinels.failOver();
      return { mayGap: true, evidence: `to ${port}` };
    },
    heal: async (world) => sentinels(world).sentinels.settled(),
  }),
};

/** The master is killed, a replica takes its place, and what it had not copied yet is lost. */
export const masterKilled: FaultKind = {
  name: 'master killed',
  on: ['sentinel'],
  plan: (random) => {
    let killed: RedisProcess | undefined;
    return {
      name: 'master killed',
      holdMs: between(random, 0, 1_000),
      inject: async (world) => {
        const { sentinels: group } = sentinels(world);
        killed = await group.master();
        await killed.kill();
        await group.failedOver(killed);
        return { mayGap: true };
      },
      heal: async () => {
        await killed?.start();
        killed = undefined;
      },
    };
  },
};

/** The master stands still, a replica takes its place, and it wakes up believing that it still is the master. */
export const masterFrozen: FaultKind = {
  name: 'master frozen',
  on: ['sentinel'],
  plan: (random) => {
    let frozen: RedisProcess | undefined;
    return {
      name: 'master frozen',
      holdMs: between(random, 0, 6_000),
      inject: async (world) => {
        const { sentinels: group } = sentinels(world);
        frozen = await group.master();
        frozen.pause();
        await group.failedOver(frozen);
        return { mayGap: true };
      },
      heal: async () => {
        frozen?.resume();
        frozen = undefined;
      },
    };
  },
};

/** The replica and a sentinel are gone for a while: nobody needs them as long as the master is well. */
export const replicaLost: FaultKind = {
  name: 'replica and one sentinel lost',
  on: ['sentinel'],
  plan: (random) => {
    const lost: RedisProcess[] = [];
    return {
      name: 'replica and one sentinel lost',
      holdMs: between(random, 1_000, 4_000),
      inject: async (world) => {
        const { sentinels: group } = sentinels(world);
        lost.push(...(await group.replicas()), group.sentinels[0]!);
        for (const one of lost) await one.kill();
        return {};
      },
      heal: async () => {
        for (const one of lost.splice(0)) await one.start();
      },
    };
  },
};

/** Master and replica are both gone: there is no Redis at all. */
export const allServersLost: FaultKind = {
  name: 'master and replica frozen',
  on: ['sentinel'],
  plan: (random) => ({
    name: 'master and replica frozen',
    holdMs: between(random, 8_000, 12_000),
    inject: async (world) => {
      for (const server of sentinels(world).sentinels.servers) server.pause();
      return { cutOff: { services: everyService(world), noticedMs: NOTICED.silent }, mayGap: true };
    },
    heal: async (world) => {
      for (const server of sentinels(world).sentinels.servers) server.resume();
    },
  }),
};
