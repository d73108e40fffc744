import { openBroker } from '@listen-gateway/broker-redis';
import {
  CONFIG_SECTIONS,
  configOrExit,
  createLog,
  createMetrics,
  onShutdown,
  type ShutdownStep,
  startAdminServer,
  systemClock,
  watchBroker,
} from '@listen-gateway/service-kit';
import { standaloneConfig } from './config.ts';
import { startStandalone } from './standalone.ts';
import { welcome } from './welcome.ts';

const config = configOrExit(standaloneConfig, {
  program: 'standalone',
  summary:
    'Gateway and publisher in one process, over the memory broker unless told otherwise, and a sample server to try them with.',
  otherSections: CONFIG_SECTIONS,
});
const log = createLog(config.log, { service: 'standalone' });
const metrics = createMetrics({ service: 'standalone' });

// Filled as things open, so that a signal or a failure in between stops what there is.
const steps: ShutdownStep[] = [];
let hasten = () => {};
onShutdown(steps, { log, hasten: () => hasten() });

const broker = openBroker({
  ...config.broker,
  name: 'listen-gateway-standalone',
  clock: systemClock,
  observer: watchBroker(metrics, log),
});
steps.push({ name: 'broker', run: () => broker.close() });
const standalone = await startStandalone({ config, broker, log, metrics });
steps.unshift({
  name: 'drain',
  run: () => {
    const drain = standalone.gateway.drain();
    hasten = () => drain.hasten();
    return drain.done;
  },
});
steps.splice(1, 0, { name: 'standalone', run: () => standalone.close() });
const admin = await startAdminServer({
  ...config.admin,
  metrics,
  log,
  live: () => true,
  ready: () => standalone.readiness(),
});
steps.push({ name: 'admin', run: () => admin.close() });
log.info({ url: standalone.gateway.url, publisherUrl: standalone.publisher.url, adminUrl: admin.url }, 'listening');
process.stdout.write(`\n${welcome(standalone)}`);
