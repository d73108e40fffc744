import { z } from 'zod';

const positiveInt = z.int().min(1);

/** Limits on hosts. */
export const limitsConfig = z
  .strictObject({
    streamsPerInstance: positiveInt
      .default(50_000)
      .describe('Streams that an instance holds; a listen above it gets 503.'),
    streamsPerPrincipal: positiveInt
      .default(100)
      .describe('Streams of one principal of a server, on all instances together; a listen above it gets 429.'),
    streamsPerAddress: positiveInt
      .optional()
      .describe(
        'The same of one address, where hosts are not authenticated; unset, 1000 where bound beyond loopback, else any.',
      ),
    opensPerSecondPerPrincipal: positiveInt
      .default(20)
      .describe('Listens of one principal, over ten seconds; above it they get 429.'),
    opensPerSecondPerAddress: positiveInt
      .optional()
      .describe(
        'The same of one address, where hosts are not authenticated; unset, 100 where bound beyond loopback, else any.',
      ),
    urisPerFilter: positiveInt.default(1_000).describe('URIs and task ids that one listen may name.'),
    uriLength: positiveInt.default(8_192).describe('Characters of one URI or task id.'),
    bodyBytes: positiveInt.default(4_194_304).describe('Bytes of one request body.'),
  })
  .prefault({});

export type LimitsConfig = z.output<typeof limitsConfig>;
