export { type StandaloneConfig, standaloneConfig } from './config.ts';
export { type Standalone, type StandaloneOptions, startStandalone } from './standalone.ts';
