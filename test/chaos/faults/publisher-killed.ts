import { setTimeout as pause } from 'node:timers/promises';
import { EVERYWHERE, type FaultKind } from '../fault.ts';
import { between } from '../random.ts';

/** A publisher is killed while large batches are on their way through it, and started again. */
export const publisherKilled: FaultKind = {
  name: 'publisher killed in a batch',
  on: EVERYWHERE,
  plan: (random) => {
    const part = random();
    const afterMs = between(random, 20, 120);
    return {
      name: 'publisher killed in a batch',
      holdMs: between(random, 500, 1_500),
      inject: async (world) => {
        const publisher = world.publishers[Math.floor(part * world.publishers.length)]!;
        world.backends.order({ type: 'batches', count: 40, length: 30 });
        await pause(afterMs);
        await publisher.kill();
        return { evidence: publisher.name };
      },
      heal: (world) => world.publishers[Math.floor(part * world.publishers.length)]!.start(),
    };
  },
};
