import { DEFAULT_SERVER_ID, isServerId } from '@listen-gateway/protocol';
import { logConfig } from '@listen-gateway/service-kit';
import { z } from 'zod';

/** The settings of the sample server. */
export const sampleConfig = z.strictObject({
  sample: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1').describe('Address to listen on; 0.0.0.0 or :: for all.'),
      port: z.int().min(0).max(65_535).default(3000).describe('Port to listen on; 0 takes a free one.'),
      allowedHostnames: z
        .array(z.string().min(1))
        .default([])
        .describe('Names it may be asked for by, apart from those of loopback.'),
      publisherUrl: z.url().optional().describe('Where to publish changes; unset, nobody is told.'),
      publisherKey: z.string().min(1).optional().describe('Key or token for the publisher, where it asks for one.'),
      serverId: z
        .string()
        .refine(isServerId, 'is not the name of a server')
        .default(DEFAULT_SERVER_ID)
        .describe('As which server to publish.'),
    })
    .prefault({}),
  log: logConfig,
});
