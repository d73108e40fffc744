export { newApiKey } from './auth/api-key.ts';
export { type PublisherConfig, publisherConfig } from './config.ts';
export { type Publisher, type PublisherOptions, startPublisher } from './publisher.ts';
