import type { Random } from '@listen-gateway/core';
import type { BackboneKind, Cluster, Sentinels, Standalone } from './backbone.ts';
import type { Effects } from './records.ts';
import type { Instance, World } from './world.ts';

/** Something that goes wrong, and that ends. */
export interface Fault {
  readonly name: string;
  /** How long it lasts. */
  readonly holdMs: number;
  inject(world: World): Promise<Effects>;
  /** Puts right what `inject` did; also called after one that failed half way. */
  heal(world: World): Promise<void>;
}

/** A kind of fault; what differs from one to the next, as which instance it hits, is drawn from `random` at once. */
export interface FaultKind {
  readonly name: string;
  /** In which worlds it makes sense. */
  readonly on: readonly BackboneKind[];
  plan(random: Random): Fault;
}

export const STANDALONE: readonly BackboneKind[] = ['standalone'];
export const EVERYWHERE: readonly BackboneKind[] = ['standalone', 'sentinel', 'cluster'];

/** How long a service may take to know that it has lost Redis: at once where it is told, else by its probes. */
export const NOTICED = { told: 1_500, silent: 5_000 } as const;

/** The instance at this part, 0 to 1, of all. */
export function instanceAt(world: World, part: number): Instance {
  return world.instances[Math.floor(part * world.instances.length)] as Instance;
}

/** Those whose link to Redis can be broken. */
export function linkedInstances(world: World): (Instance & { readonly link: NonNullable<Instance['link']> })[] {
  return world.instances.flatMap(({ service, link }) => (link === undefined ? [] : [{ service, link }]));
}

/** The names of all services. */
export function everyService(world: World): string[] {
  return [...world.instances.map(({ service }) => service.name), ...world.publishers.map(({ name }) => name)];
}

export function standalone({ backbone }: World): Standalone {
  if (backbone.kind !== 'standalone') throw new Error('this fault needs a single Redis');
  return backbone;
}

export function sentinels({ backbone }: World): Sentinels {
  if (backbone.kind !== 'sentinel') throw new Error('this fault needs sentinels');
  return backbone;
}

export function cluster({ backbone }: World): Cluster {
  if (backbone.kind !== 'cluster') throw new Error('this fault needs a cluster');
  return backbone;
}
