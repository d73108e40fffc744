import type { Random } from '@listen-gateway/core';
import type { Filter } from '@listen-gateway/protocol';
import { between, sample } from './random.ts';

/** What there is to listen to, known to hosts and backends alike. */
export interface Population {
  readonly seed: number;
  readonly servers: readonly string[];
  readonly urisPerServer: number;
  readonly tasksPerServer: number;
}

/** Announces no prompts, so that what is honored differs from what is requested. */
export const PROMPTLESS = 'chaos-0';

/** Published only in requests that must be refused; hosts listen to it all the same. */
export const FORBIDDEN_URI = 'chaos://forbidden';

/** A task whose states are large, so that it fills the buffers of who does not read. */
export const BULK_TASK = 'bulk';

/** Another one, which no host asked for: it burdens Redis and the instances alone. */
export const UNHEARD_BULK_TASK = 'bulk-unheard';

/** What the driver publishes to see that instances are whole. */
export const BEACON_URIS: readonly string[] = Array.from({ length: 64 }, (_, index) => `chaos://beacon/${index}`);

/** The `servers` setting of both services. */
export function serversSetting({ servers }: Population): string {
  const entries = servers.map((server) => [server, server === PROMPTLESS ? { capabilities: { prompts: false } } : {}]);
  return JSON.stringify(Object.fromEntries(entries));
}

/** Taken in turn, so that a URI is published rarely: a signal of one change hides no loss of another. */
export function uris({ urisPerServer }: Population): string[] {
  return Array.from({ length: urisPerServer }, (_, index) => `chaos://resource/${index}`);
}

/** A task is never started twice. */
export function taskIds({ tasksPerServer }: Population): string[] {
  return Array.from({ length: tasksPerServer }, (_, index) => `task-${index}`);
}

/** What one host listens for; never nothing. */
export function someFilter(population: Population, random: Random): Filter {
  const all = uris(population);
  const tasks = random() < 0.35 ? sample(random, taskIds(population), between(random, 5, 15)) : [];
  if (random() < 0.15) tasks.push(BULK_TASK);
  return {
    ...(random() < 0.4 && { toolsListChanged: true }),
    ...(random() < 0.3 && { promptsListChanged: true }),
    ...(random() < 0.3 && { resourcesListChanged: true }),
    resourceSubscriptions: [FORBIDDEN_URI, ...sample(random, all, between(random, 1, Math.ceil(all.length / 4)))],
    ...(tasks.length > 0 && { taskIds: tasks }),
  };
}
