import { EVERYWHERE, type FaultKind, instanceAt } from '../fault.ts';
import { between } from '../random.ts';

/** An instance is told to stop, drains, and is started again: a rolling deploy. */
export const instanceTerminated: FaultKind = {
  name: 'instance terminated',
  on: EVERYWHERE,
  plan: (random) => {
    const part = random();
    return {
      name: 'instance terminated',
      holdMs: between(random, 200, 1_000),
      inject: async (world) => {
        const { service } = instanceAt(world, part);
        const code = await service.terminate();
        return { evidence: `${service.name} ended with ${code}` };
      },
      heal: (world) => instanceAt(world, part).service.start(),
    };
  },
};
