import { everyService, type FaultKind, NOTICED, STANDALONE, standalone } from '../fault.ts';
import { between } from '../random.ts';

/** Redis is killed, and comes back with nothing. */
export const redisEmptied: FaultKind = {
  name: 'Redis restarted without data',
  on: STANDALONE,
  plan: (random) => ({
    name: 'Redis restarted without data',
    holdMs: between(random, 1_500, 4_000),
    inject: async (world) => {
      await standalone(world).redis.kill();
      return { cutOff: { services: everyService(world), noticedMs: NOTICED.told }, mayGap: true };
    },
    heal: (world) => standalone(world).redis.restart({ keepData: false }),
  }),
};
