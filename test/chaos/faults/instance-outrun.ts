import { EVERYWHERE, type FaultKind, instanceAt } from '../fault.ts';
import { UNHEARD_BULK_TASK } from '../population.ts';
import { pick } from '../random.ts';
import type { World } from '../world.ts';

const LIMIT = 'client-output-buffer-limit';
/** The buffers of sockets take some 10 to 40 MB first. */
const FLOOD = { taskId: UNHEARD_BULK_TASK, count: 16, bytes: 900_000 };
const MAX_FLOODS = 12;

/** An instance stands still under a flood, until Redis has had enough of it and ends its receive connection. */
export const instanceOutrun: FaultKind = {
  name: 'instance outrun by a flood',
  on: EVERYWHERE,
  plan: (random) => {
    const part = random();
    const serverPart = random();
    return {
      name: 'instance outrun by a flood',
      holdMs: 500,
      inject: async (world) => {
        const { service } = instanceAt(world, part);
        const server = pick(() => serverPart, world.setting.population.servers);
        await limitBuffers(world, 'pubsub 8mb 4mb 1');
        const before = await receivers(world);
        service.freeze();
        let cut = 0;
        for (let floods = 0; cut === 0; floods += 1) {
          if (floods === MAX_FLOODS) throw new Error('no connection reached the limit of its output buffer');
          await world.backends.flood({ server, ...FLOOD });
          const left = await receivers(world);
          cut = [...before].filter((receiver) => !left.has(receiver)).length;
        }
        return { evidence: `${service.name}: ${cut} connections` };
      },
      heal: async (world) => {
        instanceAt(world, part).service.thaw();
        await limitBuffers(world, 'pubsub 32mb 8mb 60');
      },
    };
  },
};

async function limitBuffers(world: World, limit: string): Promise<void> {
  for (const master of await world.backbone.masters()) await master.cli('CONFIG', 'SET', LIMIT, limit);
}

/** The connections of now that receive. */
async function receivers(world: World): Promise<Set<string>> {
  const masters = await world.backbone.masters();
  const lists = await Promise.all(masters.map((master) => master.cli('CLIENT', 'LIST', 'TYPE', 'pubsub')));
  return new Set(
    lists.flatMap(
      (list, index) =>
        String(list)
          .match(/^id=\d+/gm)
          ?.map((id) => `${index} ${id}`) ?? [],
    ),
  );
}
