export { openLimits } from './limits/open-limits.ts';
export { type OpenBrokerOptions, openBroker } from './open-broker.ts';
export { RedisBroker } from './redis-broker.ts';
export type { ConnectionRole, RedisObserver } from './redis-observer.ts';
export type { RedisBrokerOptions, RedisMode, RedisTls } from './redis-options.ts';
