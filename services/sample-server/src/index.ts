export { type SampleServer, type SampleServerOptions, startSampleServer } from './sample-server.ts';
