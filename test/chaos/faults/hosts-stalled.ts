import { EVERYWHERE, type FaultKind } from '../fault.ts';
import { BULK_TASK } from '../population.ts';
import { pick } from '../random.ts';

/** Most hosts read nothing for longer than they may, while large task states fill the buffers to them. */
export const hostsStalled: FaultKind = {
  name: 'hosts stalled',
  on: EVERYWHERE,
  plan: (random) => {
    const serverPart = random();
    return {
      name: 'hosts stalled',
      holdMs: 4_000,
      inject: async (world) => {
        const server = pick(() => serverPart, world.setting.population.servers);
        world.hosts.order({ type: 'stall', share: 0.7, forMs: 8_000 });
        await world.backends.flood({ server, taskId: BULK_TASK, count: 12, bytes: 900_000 });
        return {};
      },
      heal: async () => {},
    };
  },
};
