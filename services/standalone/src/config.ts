import { checkExposure, gatewayConfig } from '@listen-gateway/service-gateway';
import { publisherConfig } from '@listen-gateway/service-publisher';
import { z } from 'zod';

/** The settings of the standalone process: those of the gateway and of the publisher, and whether a sample server runs behind. */
export const standaloneConfig = z
  .strictObject({
    ...gatewayConfig.shape,
    publisher: publisherConfig.shape.publisher,
    sample: z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe('Whether a small MCP server runs as the upstream, to try things with.'),
        port: z.int().min(0).max(65_535).default(8082).describe('Port of the sample server; 0 takes a free one.'),
      })
      .prefault({}),
  })
  .superRefine(checkExposure);

export type StandaloneConfig = z.output<typeof standaloneConfig>;
