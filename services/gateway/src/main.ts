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
import { gatewayConfig } from './config.ts';
import { startGateway } from './gateway.ts';

const config = configOrExit(gatewayConfig, {
  program: 'gateway',
  summary: 'Holds subscriptions/listen streams and writes changes to them.',
  otherSections: CONFIG_SECTIONS,
});
const log = createLog(config.log, { service: 'gateway' });
const metrics = createMetrics({ service: 'gateway' });

// Filled as things open, so that a signal or a failure in between stops what there is.
const steps: ShutdownStep[] = [];
let hasten = () => {};
onShutdown(steps, { log, hasten: () => hasten() });

const broker = openBroker({
  ...config.broker,
  name: 'listen-gateway',
  clock: systemClock,
  observer: watchBroker(metrics, log),
});
steps.push({ name: 'broker', run: () => broker.close() });
const gateway = await startGateway({ config, broker, log, metrics });
steps.unshift(
  {
    name: 'drain',
    run: () => {
      const drain = gateway.drain();
      hasten = () => drain.hasten();
      return drain.done;
    },
  },
  { name: 'gateway', run: () => gateway.close() },
);
const admin = await startAdminServer({
  ...config.admin,
  metrics,
  log,
  live: () => true,
  ready: () => gateway.readiness(),
});
steps.push({ name: 'admin', run: () => admin.close() });
log.info({ url: gateway.url, adminUrl: admin.url }, 'listening');
