import { everyService, type Fault, type FaultKind, NOTICED, STANDALONE, standalone } from '../fault.ts';

/** Redis stands still: connections stay open, and nothing answers. */
export const redisFrozen5: FaultKind = {
  name: 'Redis frozen for 5 s',
  on: STANDALONE,
  plan: () => frozenFor(5_000),
};

export const redisFrozen30: FaultKind = {
  name: 'Redis frozen for 30 s',
  on: STANDALONE,
  plan: () => frozenFor(30_000),
};

function frozenFor(holdMs: number): Fault {
  return {
    name: `Redis frozen for ${holdMs / 1_000} s`,
    holdMs,
    inject: async (world) => {
      standalone(world).redis.pause();
      return { cutOff: { services: everyService(world), noticedMs: NOTICED.silent } };
    },
    heal: async (world) => standalone(world).redis.resume(),
  };
}
