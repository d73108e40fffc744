export { type BrokerTraits, brokerContract, type OpenBroker } from './broker-contract.ts';
export { ManualClock } from './manual-clock.ts';
export { RecordingListener } from './recording-listener.ts';
export { freshServerId, numbered, numberedUris } from './sample-changes.ts';
export { eventually, within } from './within.ts';
