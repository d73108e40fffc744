import { openBroker, openLimits } from '@listen-gateway/broker-redis';
import { runService, systemClock, watchBroker } from '@listen-gateway/service-kit';
import { publisherConfig } from './config.ts';
import { startPublisher } from './publisher.ts';

await runService({
  program: 'publisher',
  summary: 'Takes changes from backends and hands them to every gateway instance.',
  schema: publisherConfig,
  start: async ({ config, log, metrics, keep }) => {
    if (config.broker.url === 'memory:') {
      log.warn({}, 'the memory broker reaches no gateway from here; set broker.url');
    }
    const observer = watchBroker(metrics, log);
    const setup = { ...config.broker, name: 'listen-gateway-publisher' };
    const broker = openBroker({ ...setup, minReplicas: config.publisher.minReplicas, clock: systemClock, observer });
    keep({ name: 'broker', run: () => broker.close() });
    const limits = openLimits(setup);
    keep({ name: 'limits', run: () => limits.close() });
    const publisher = await startPublisher({ config, broker, limits, log, metrics });
    keep({ name: 'publisher', run: () => publisher.close() });
    return { readiness: () => publisher.readiness(), urls: { url: publisher.url } };
  },
});
