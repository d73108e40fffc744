import { openBroker, openLimits } from '@listen-gateway/broker-redis';
import { runService, systemClock, watchBroker } from '@listen-gateway/service-kit';
import { gatewayConfig } from './config.ts';
import { drainStep } from './drain-step.ts';
import { startGateway } from './gateway.ts';

await runService({
  program: 'gateway',
  summary: 'Holds subscriptions/listen streams and writes changes to them.',
  schema: gatewayConfig,
  start: async ({ config, log, metrics, keep, hastenBy }) => {
    const observer = watchBroker(metrics, log);
    const setup = { ...config.broker, name: 'listen-gateway' };
    const broker = openBroker({ ...setup, clock: systemClock, observer });
    keep({ name: 'broker', run: () => broker.close() });
    const limits = openLimits(setup);
    keep({ name: 'limits', run: () => limits.close() });
    const gateway = await startGateway({ config, broker, limits, log, metrics });
    keep({ name: 'gateway', run: () => gateway.close() });
    keep(drainStep(gateway, hastenBy));
    return { readiness: () => gateway.readiness(), urls: { url: gateway.url } };
  },
});
