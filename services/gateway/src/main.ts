import { openBroker } from '@listen-gateway/broker-redis';
import {
  CONFIG_SECTIONS,
  configOrExit,
  createLog,
  createMetrics,
  onShutdown,
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
const broker = openBroker({
  ...config.broker,
  name: 'listen-gateway',
  clock: systemClock,
  observer: watchBroker(metrics, log),
});
const gateway = await startGateway({ config, broker, log, metrics });
const admin = await startAdminServer({
  ...config.admin,
  metrics,
  log,
  live: () => true,
  ready: () => gateway.readiness(),
});
log.info({ url: gateway.url, adminUrl: admin.url }, 'listening');

let hasten = () => {};
onShutdown(
  [
    {
      name: 'drain',
      run: () => {
        const drain = gateway.drain();
        hasten = () => drain.hasten();
        return drain.done;
      },
    },
    { name: 'gateway', run: () => gateway.close() },
    { name: 'broker', run: () => broker.close() },
    { name: 'admin', run: () => admin.close() },
  ],
  { log, hasten: () => hasten() },
);
