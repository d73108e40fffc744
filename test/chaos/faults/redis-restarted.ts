import { everyService, type FaultKind, NOTICED, STANDALONE, standalone } from '../fault.ts';
import { between } from '../random.ts';

/** Redis goes down in good order and comes back with all it had. */
export const redisRestarted: FaultKind = {
  name: 'Redis restarted',
  on: STANDALONE,
  plan: (random) => ({
    name: 'Redis restarted',
    holdMs: between(random, 2_000, 5_000),
    inject: async (world) => {
      await standalone(world).redis.stop();
      // Nobody can know that it lost nothing, so instances may announce a gap.
      return { cutOff: { services: everyService(world), noticedMs: NOTICED.told }, mayGap: true };
    },
    heal: (world) => standalone(world).redis.start(),
  }),
};
