import { adminConfig, brokerConfig, listenConfig, logConfig, serversConfig } from '@listen-gateway/service-kit';
import { z } from 'zod';

/** The settings of the publisher. */
export const publisherConfig = z.strictObject({
  publisher: listenConfig(8081),
  servers: serversConfig,
  broker: brokerConfig,
  admin: adminConfig,
  log: logConfig,
});

/** What the publisher itself reads of them; an embedding process brings the rest. */
export type PublisherConfig = Pick<z.output<typeof publisherConfig>, 'publisher' | 'servers'>;
