import { randomUUID } from 'node:crypto';
import type { Allowance, RateLimit, SharedLimits } from '@listen-gateway/core';
import { Cluster } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { ignoreLateErrors } from '../late-errors.ts';
import { type RedisBrokerOptions, redisSettings } from '../redis-options.ts';
import { type LimitsClient, openLimitsClient } from './limits-client.ts';
import { LocalShares } from './local-shares.ts';
import { PacedRate } from './paced-rate.ts';
import { RedisShares } from './redis-shares.ts';

/** Limits of the same reach as the broker of a URL: `memory:` within this process, `redis://` or `rediss://` between processes. */
export function openLimits(options: RedisBrokerOptions & { readonly leaseMs?: number }): SharedLimits {
  if (options.url === 'memory:') {
    return {
      shares: new LocalShares(),
      rate: (name, allowance) => new PacedRate(memoryLimiter(name, allowance)),
      close: async () => {},
    };
  }
  const { leaseMs = LEASE_MS, ...rest } = options;
  const settings = redisSettings(rest);
  const client = openLimitsClient(settings);
  const shares = new RedisShares(client, { prefix: settings.prefix, instanceId: randomUUID(), leaseMs });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await shares.close();
    for (const one of client instanceof Cluster ? client.nodes() : [client]) ignoreLateErrors(one);
    client.disconnect();
  };
  return {
    shares,
    rate: (name, allowance) => redisRate(client, `${settings.prefix}rate:${name}`, allowance),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** How long a killed instance's streams go on counting. */
const LEASE_MS = 15_000;

function memoryLimiter(name: string, { points, seconds }: Allowance): RateLimiterMemory {
  return new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });
}

function redisRate(client: LimitsClient, keyPrefix: string, { points, seconds }: Allowance): RateLimit {
  const limiter = new RateLimiterRedis({
    storeClient: client,
    keyPrefix,
    points,
    duration: seconds,
    rejectIfRedisNotReady: true,
    // Who is over the limit is refused without asking Redis again: a refusal must cost less than what it refuses.
    inMemoryBlockOnConsumed: points + 1,
    insuranceLimiter: memoryLimiter(keyPrefix, { points, seconds }),
  });
  return new PacedRate(limiter);
}
