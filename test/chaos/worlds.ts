import type { BackboneKind } from './backbone.ts';
import type { Population } from './population.ts';
import type { InstanceSetting, WorldSetting } from './world.ts';

export interface WorldSize {
  readonly servers: number;
  readonly hosts: number;
  readonly surge: number;
  readonly minutes: number;
}

/** What hosts can listen to in a campaign of this length, so that every URI is published a few times at most. */
export function population(seed: number, { servers, minutes }: WorldSize): Population {
  return {
    seed,
    servers: Array.from({ length: servers }, (_, index) => `chaos-${index}`),
    urisPerServer: 200,
    tasksPerServer: Math.ceil(minutes * 40),
  };
}

/** Three instances, the first of them behind a link that can be broken, and two publishers. */
export function fleet(backbone: BackboneKind, seed: number, size: WorldSize): WorldSetting {
  const instances: InstanceSetting[] = [
    { name: 'gateway-1', linked: backbone === 'standalone' },
    { name: 'gateway-2' },
    { name: 'gateway-3' },
  ];
  const { hosts, surge } = size;
  return { backbone, population: population(seed, size), instances, publishers: 2, hosts, surge, rate: 12 };
}
