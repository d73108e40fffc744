import { setTimeout as pause } from 'node:timers/promises';
import { everyService, type FaultKind, linkedInstances, NOTICED, STANDALONE, standalone } from '../fault.ts';
import { between } from '../random.ts';

/**
 * Instances are cut off; Redis takes changes that they do not hear of, is killed, and comes back as it was before those:
 * nothing in it tells that there ever was more. What failovers do at their worst.
 */
export const redisSetBack: FaultKind = {
  name: 'Redis set back behind a cut link',
  on: STANDALONE,
  plan: (random) => {
    const takeMs = between(random, 1_000, 2_500);
    return {
      name: 'Redis set back behind a cut link',
      holdMs: between(random, 500, 1_500),
      inject: async (world) => {
        const { redis } = standalone(world);
        for (const { link } of linkedInstances(world)) link.cut();
        await redis.cli('SAVE');
        await pause(takeMs);
        await redis.kill();
        return { cutOff: { services: everyService(world), noticedMs: NOTICED.told }, mayGap: true };
      },
      heal: async (world) => {
        const { redis } = standalone(world);
        if (!redis.isRunning) await redis.start();
        for (const { link } of linkedInstances(world)) link.restore();
      },
    };
  },
};
