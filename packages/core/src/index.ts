export type { Refusal, StreamLimits } from './admit.ts';
export { REFUSALS } from './admit.ts';
export {
  type Broker,
  BrokerError,
  type BrokerListener,
  type BrokerStatus,
  type Detach,
  type Idempotency,
  type PublishOutcome,
  type Receipt,
} from './broker.ts';
export type { Census } from './census.ts';
export type { Cancel, Clock, Random } from './clock.ts';
export { CLOSE_REASONS, type CloseReason, ENDS_WITH_RESULT } from './close-reason.ts';
export { type Drain, type DrainTimes, startDrain } from './drain.ts';
export type { Follow, Followed } from './follow.ts';
export { type Grant, grantOf, type Names, narrow } from './grant.ts';
export { honor, isEmpty } from './honor.ts';
export type { JournalBounds, JournalEntry } from './journal.ts';
export { MemoryBroker, type MemoryBrokerOptions } from './memory-broker.ts';
export { isPattern, Patterns } from './patterns.ts';
export type { Principal } from './principal.ts';
export type { Allowance, RateLimit, SharedLimits, StreamShares } from './shared-limits.ts';
export type { Chunk, OpenSink, Sink, SinkEvents, Written } from './sink.ts';
export type { Stream, StreamId } from './stream.ts';
export { type StreamObserver, together } from './stream-observer.ts';
export { type Listen, type ListenOutcome, Streams, type StreamsOptions } from './streams.ts';
