import { openBroker } from '@listen-gateway/broker-redis';
import {
  configOrExit,
  createLog,
  createMetrics,
  onShutdown,
  type ShutdownStep,
  startAdminServer,
  systemClock,
  watchBroker,
} from '@listen-gateway/service-kit';
import { publisherConfig } from './config.ts';
import { startPublisher } from './publisher.ts';

const config = configOrExit(publisherConfig, {
  program: 'publisher',
  summary: 'Takes changes from backends and hands them to every gateway instance.',
});
const log = createLog(config.log, { service: 'publisher' });
const metrics = createMetrics({ service: 'publisher' });

// Filled as things open, so that a signal or a failure in between stops what there is.
const steps: ShutdownStep[] = [];
onShutdown(steps, { log });

if (config.broker.url === 'memory:') log.warn({}, 'the memory broker reaches no gateway from here; set broker.url');
const broker = openBroker({
  ...config.broker,
  name: 'listen-gateway-publisher',
  clock: systemClock,
  observer: watchBroker(metrics, log),
});
steps.unshift({ name: 'broker', run: () => broker.close() });
const publisher = await startPublisher({ config, broker, log, metrics });
steps.unshift({ name: 'publisher', run: () => publisher.close() });
const admin = await startAdminServer({
  ...config.admin,
  metrics,
  log,
  live: () => true,
  ready: () => publisher.readiness(),
});
steps.push({ name: 'admin server', run: () => admin.close() });
log.info({ url: publisher.url, adminUrl: admin.url }, 'publisher listening');
