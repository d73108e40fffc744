import {
  openRedisCluster,
  openRedisProcess,
  openRedisSentinels,
  type RedisCluster,
  type RedisProcess,
  RedisSentinels,
} from '@listen-gateway/testkit';
import { openSteppedClock, type SteppedClock } from './stepped-clock.ts';

export const BACKBONE_KINDS = ['standalone', 'sentinel', 'cluster'] as const;
export type BackboneKind = (typeof BACKBONE_KINDS)[number];

/** The Redis that carries the changes of a campaign. */
export interface Backbone {
  readonly kind: BackboneKind;
  /** The broker settings of the services. */
  readonly env: Readonly<Record<string, string>>;
  /** The masters of now. */
  masters(): Promise<readonly RedisProcess[]>;
  /** The master that a server's changes are on. */
  masterOf(server: string): Promise<RedisProcess>;
  close(): Promise<void>;
}

export interface Standalone extends Backbone {
  readonly kind: 'standalone';
  readonly redis: RedisProcess;
  /** What Redis takes for the time. */
  readonly clock: SteppedClock;
}

export interface Sentinels extends Backbone {
  readonly kind: 'sentinel';
  readonly sentinels: RedisSentinels;
}

export interface Cluster extends Backbone {
  readonly kind: 'cluster';
  readonly cluster: RedisCluster;
}

export type AnyBackbone = Standalone | Sentinels | Cluster;

export function openBackbone(kind: BackboneKind): Promise<AnyBackbone> {
  switch (kind) {
    case 'standalone':
      return openStandalone();
    case 'sentinel':
      return openSentinels();
    case 'cluster':
      return openCluster();
  }
}

/** A name in the slot of a server's changes. */
export function slotName(server: string): string {
  return `lg:1:{${server}}:changes`;
}

async function openStandalone(): Promise<Standalone> {
  const clock = await openSteppedClock({ for: 'redis' });
  const redis = await openRedisProcess({ env: clock.env });
  return {
    kind: 'standalone',
    redis,
    clock,
    env: { LG_BROKER__URL: redis.url },
    masters: async () => [redis],
    masterOf: async () => redis,
    close: async () => {
      await redis.close();
      await clock.close();
    },
  };
}

async function openSentinels(): Promise<Sentinels> {
  const sentinels = await openRedisSentinels();
  return {
    kind: 'sentinel',
    sentinels,
    env: {
      LG_BROKER__URL: `redis://${RedisSentinels.MASTER}`,
      LG_BROKER__MODE: 'sentinel',
      LG_BROKER__NODES: sentinels.addresses.join(','),
    },
    masters: async () => [await sentinels.master()],
    masterOf: () => sentinels.master(),
    close: () => sentinels.close(),
  };
}

async function openCluster(): Promise<Cluster> {
  const cluster = await openRedisCluster({ replicas: 1 });
  const [first] = cluster.nodes;
  return {
    kind: 'cluster',
    cluster,
    env: {
      LG_BROKER__URL: first!.url,
      LG_BROKER__MODE: 'cluster',
      LG_BROKER__NODES: cluster.addresses.join(','),
    },
    masters: async () => {
      const roles = await Promise.all(cluster.nodes.map((node) => node.cli('INFO', 'replication').catch(() => '')));
      return cluster.nodes.filter((_, index) => String(roles[index]).includes('role:master'));
    },
    masterOf: (server) => cluster.masterOf(slotName(server)),
    close: () => cluster.close(),
  };
}
