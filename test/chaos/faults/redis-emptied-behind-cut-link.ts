import { setTimeout as pause } from 'node:timers/promises';
import { everyService, type FaultKind, linkedInstances, NOTICED, STANDALONE, standalone } from '../fault.ts';
import { between } from '../random.ts';

/** Instances are cut off; Redis takes changes that they do not hear of, and loses them with everything else. */
export const redisEmptiedBehindCutLink: FaultKind = {
  name: 'Redis emptied behind a cut link',
  on: STANDALONE,
  plan: (random) => {
    const takeMs = between(random, 1_000, 2_500);
    return {
      name: 'Redis emptied behind a cut link',
      holdMs: between(random, 500, 1_500),
      inject: async (world) => {
        const { redis } = standalone(world);
        for (const { link } of linkedInstances(world)) link.cut();
        await pause(takeMs);
        await redis.kill();
        return { cutOff: { services: everyService(world), noticedMs: NOTICED.told }, mayGap: true };
      },
      heal: async (world) => {
        await standalone(world).redis.restart({ keepData: false });
        for (const { link } of linkedInstances(world)) link.restore();
      },
    };
  },
};
