import {
  adminConfig,
  brokerConfig,
  isLoopback,
  listenConfig,
  logConfig,
  originsConfig,
  serversConfig,
} from '@listen-gateway/service-kit';
import { z } from 'zod';
import { publisherAuthConfig } from './auth/auth-config.ts';

const publisherSection = listenConfig(8081)
  .unwrap()
  .extend({
    auth: publisherAuthConfig.optional().describe('How publishers are authenticated; unset, they are not.'),
    exposeWithoutAuthentication: z
      .boolean()
      .default(false)
      .describe('Lets anybody who reaches the publisher publish anything; else without auth it is bound to loopback.'),
    allowedHosts: z
      .array(z.string().min(1))
      .optional()
      .describe('Host names that publishers use; unset, those of loopback where bound to it, else any.'),
    allowedOrigins: originsConfig
      .optional()
      .describe('Origins of pages that may ask; unset, those of loopback where bound to it, else none.'),
    minReplicas: z
      .int()
      .min(0)
      .default(0)
      .describe('Replicas of Redis that must have a change before it is accepted; with fewer, 503.'),
    limits: z
      .strictObject({
        requestsPerSecond: z
          .int()
          .min(1)
          .optional()
          .describe('Requests of one publisher, over ten seconds; unset, 200 where bound beyond loopback, else any.'),
        changesPerSecond: z
          .int()
          .min(100)
          .optional()
          .describe('Changes of one publisher, over ten seconds; unset, 5000 where bound beyond loopback, else any.'),
      })
      .prefault({}),
  })
  .superRefine(({ host, auth, exposeWithoutAuthentication }, context) => {
    if (auth !== undefined || isLoopback(host) || exposeWithoutAuthentication) return;
    const message =
      `${host} is reachable by others, and nobody is asked who they are. Set publisher.auth, or listen on 127.0.0.1, ` +
      'or set publisher.exposeWithoutAuthentication if everybody may publish anything';
    context.addIssue({ code: 'custom', path: ['host'], message });
  })
  .prefault({});

/** The settings of the publisher. */
export const publisherConfig = z.strictObject({
  publisher: publisherSection,
  servers: serversConfig,
  broker: brokerConfig,
  admin: adminConfig,
  log: logConfig,
});

/** What the publisher itself reads of them; an embedding process brings the rest. */
export type PublisherConfig = Pick<z.output<typeof publisherConfig>, 'publisher' | 'servers'>;
