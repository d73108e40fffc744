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
export type { Cancel, Clock, Random } from './clock.ts';
export { CLOSE_REASONS, type CloseReason, ENDS_WITH_RESULT } from './close-reason.ts';
export type { Chunk, OpenSink, Sink, SinkEvents, Written } from './sink.ts';
