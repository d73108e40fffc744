import { everyService, type Fault, type FaultKind, NOTICED, STANDALONE, standalone } from '../fault.ts';
import { type Direction, drop, type Lift } from '../firewall.ts';
import { between } from '../random.ts';

/** Packets to and from Redis are lost without a word. */
export const packetsDropped: FaultKind = {
  name: 'packets dropped both ways',
  on: STANDALONE,
  plan: (random) => dropped('packets dropped both ways', ['to', 'from'], between(random, 6_500, 9_500)),
};

/** Redis takes commands, and nobody hears of it. */
export const repliesDropped: FaultKind = {
  name: 'packets from Redis dropped',
  on: STANDALONE,
  plan: (random) => dropped('packets from Redis dropped', ['from'], between(random, 6_500, 9_500)),
};

/** Redis hears nothing any more. */
export const commandsDropped: FaultKind = {
  name: 'packets to Redis dropped',
  on: STANDALONE,
  plan: (random) => dropped('packets to Redis dropped', ['to'], between(random, 6_500, 9_500)),
};

function dropped(name: string, directions: readonly Direction[], holdMs: number): Fault {
  let lift: Lift | undefined;
  return {
    name,
    holdMs,
    inject: async (world) => {
      lift = await drop(standalone(world).redis.port, directions);
      return { cutOff: { services: everyService(world), noticedMs: NOTICED.silent } };
    },
    heal: async () => {
      await lift?.();
      lift = undefined;
    },
  };
}
