import { openBroker, openLimits } from '@listen-gateway/broker-redis';
import { drainStep } from '@listen-gateway/service-gateway';
import { runService, systemClock, watchBroker } from '@listen-gateway/service-kit';
import { standaloneConfig } from './config.ts';
import { startStandalone } from './standalone.ts';
import { welcome } from './welcome.ts';

await runService({
  program: 'standalone',
  summary:
    'Gateway and publisher in one process, over the memory broker unless told otherwise, and a sample server to try them with.',
  schema: standaloneConfig,
  start: async ({ config, log, metrics, keep, hastenBy }) => {
    const observer = watchBroker(metrics, log);
    const setup = { ...config.broker, minReplicas: config.publisher.minReplicas, name: 'listen-gateway-standalone' };
    const broker = openBroker({ ...setup, clock: systemClock, observer });
    keep({ name: 'broker', run: () => broker.close() });
    const limits = openLimits(setup);
    keep({ name: 'limits', run: () => limits.close() });
    const standalone = await startStandalone({ config, broker, limits, log, metrics });
    keep({ name: 'standalone', run: () => standalone.close() });
    keep(drainStep(standalone.gateway, hastenBy));
    const { gateway, publisher } = standalone;
    process.stdout.write(`\n${welcome(standalone)}\n`);
    return { readiness: () => standalone.readiness(), urls: { url: gateway.url, publisherUrl: publisher.url } };
  },
});
