import { EVERYWHERE, type FaultKind, STANDALONE, standalone } from '../fault.ts';
import { pick } from '../random.ts';

const STEPS_S = [-7_200, -60, 90, 5_400, 86_400];

/** The clock of Redis jumps, and jumps back: ids go on from the latest one, and entries expire early or late. */
export const redisClockStepped: FaultKind = {
  name: "Redis' clock stepped",
  on: STANDALONE,
  plan: (random) => {
    const seconds = pick(random, STEPS_S);
    return {
      name: "Redis' clock stepped",
      holdMs: 3_000,
      inject: async (world) => {
        await standalone(world).clock.step(seconds);
        // Forwards, everything in a journal is suddenly old.
        return { mayGap: true, evidence: `${seconds} s` };
      },
      heal: (world) => standalone(world).clock.step(0),
    };
  },
};

/** The wall clock of the instances jumps, and jumps back. */
export const instanceClockStepped: FaultKind = {
  name: "instances' clock stepped",
  on: EVERYWHERE,
  plan: (random) => {
    const seconds = pick(random, STEPS_S);
    return {
      name: "instances' clock stepped",
      holdMs: 3_000,
      inject: async (world) => {
        await world.clock.step(seconds);
        return { evidence: `${seconds} s` };
      },
      heal: (world) => world.clock.step(0),
    };
  },
};
