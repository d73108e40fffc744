import { EVERYWHERE, type FaultKind, instanceAt } from '../fault.ts';
import { between } from '../random.ts';

/** An instance is killed without warning, and started again. */
export const instanceKilled: FaultKind = {
  name: 'instance killed',
  on: EVERYWHERE,
  plan: (random) => {
    const part = random();
    return {
      name: 'instance killed',
      holdMs: between(random, 500, 2_000),
      inject: async (world) => {
        const { service } = instanceAt(world, part);
        await service.kill();
        return { evidence: service.name };
      },
      heal: (world) => instanceAt(world, part).service.start(),
    };
  },
};
