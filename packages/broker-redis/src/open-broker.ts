import { type Broker, type Clock, type JournalBounds, MemoryBroker } from '@listen-gateway/core';
import { RedisBroker } from './redis-broker.ts';
import type { RedisBrokerOptions } from './redis-options.ts';

export interface OpenBrokerOptions extends RedisBrokerOptions {
  readonly journal: JournalBounds;
  /** For the memory broker, which has no other. */
  readonly clock: Clock;
}

/** The broker that a URL names: `memory:` within this process, `redis://` or `rediss://` between processes. Reads the TLS files. */
export function openBroker(options: OpenBrokerOptions): Broker {
  const { url, journal, clock, observer } = options;
  if (url !== 'memory:') return new RedisBroker(options);
  return new MemoryBroker({ clock, journal, onFault: (cause) => observer?.fault?.(cause) });
}
