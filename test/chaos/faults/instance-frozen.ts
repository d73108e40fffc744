import { EVERYWHERE, type FaultKind, instanceAt } from '../fault.ts';
import { between } from '../random.ts';

/** An instance stands still for a while: a laptop lid, a live migration, a debugger. */
export const instanceFrozen: FaultKind = {
  name: 'instance frozen',
  on: EVERYWHERE,
  plan: (random) => {
    const part = random();
    return {
      name: 'instance frozen',
      holdMs: between(random, 3_000, 6_000),
      inject: async (world) => {
        const { service } = instanceAt(world, part);
        service.freeze();
        return { evidence: service.name };
      },
      heal: async (world) => instanceAt(world, part).service.thaw(),
    };
  },
};
