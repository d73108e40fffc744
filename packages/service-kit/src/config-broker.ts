import { z } from 'zod';

const positiveInt = z.int().min(1);
const text = z.string().min(1);

const node = z.string().regex(/^([^\s/@:[\]]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?$/, 'must be host or host:port');

const tlsConfig = z
  .strictObject({
    caFile: text.optional().describe('Authorities to trust instead of those that Node brings; a PEM file.'),
    certFile: text.optional().describe('Certificate to show to Redis; a PEM file.'),
    keyFile: text.optional().describe('Its private key; a PEM file.'),
    serverName: text.optional().describe('Name in the certificate of Redis, where it is not the host connected to.'),
  })
  .refine(({ certFile, keyFile }) => (certFile === undefined) === (keyFile === undefined), {
    error: 'certFile and keyFile go together',
  })
  .prefault({});

const journalConfig = z
  .strictObject({
    length: positiveInt.default(10_000).describe('Changes that the journal of a server keeps for catch-up.'),
    ageMs: positiveInt.default(3_600_000).describe('Age at which the journal lets a change go.'),
  })
  .prefault({});

/** Which broker carries changes between processes, how it is reached, and its bounds (docs/redis.md). */
export const brokerConfig = z
  .strictObject({
    url: z
      .string()
      .regex(/^(memory:$|rediss?:\/\/)/, 'must be memory:, redis://… or rediss://…')
      .default('memory:')
      .describe('memory: within one process, redis://… or rediss://… (TLS) between processes.'),
    mode: z
      .enum(['standalone', 'sentinel', 'cluster'])
      .default('standalone')
      .describe('What the host in the URL is: a Redis, the name of a master among sentinels, or a node of a cluster.'),
    nodes: z.array(node).default([]).describe('Sentinels (host:port), or further nodes of the cluster to begin with.'),
    username: text.optional().describe('User of Redis, instead of the one in the URL.'),
    password: text.optional().describe('Password of Redis, instead of the one in the URL.'),
    sentinel: z
      .strictObject({
        username: text.optional().describe('User of the sentinels, if they ask for one.'),
        password: text.optional().describe('Password of the sentinels, if they ask for one.'),
      })
      .prefault({}),
    tls: tlsConfig,
    journal: journalConfig,
    attachTimeoutMs: positiveInt
      .default(2_000)
      .describe('Time within which an attach is confirmed, or the listen refused.'),
    commandTimeoutMs: positiveInt.default(1_500).describe('Time within which a publish is confirmed, or refused.'),
    lingerMs: z
      .int()
      .min(0)
      .default(5_000)
      .describe('Time for which the channel of a server is kept after its last stream.'),
  })
  .superRefine(({ url, mode, nodes, tls }, context) => {
    const problem = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (mode !== 'standalone' && url === 'memory:') problem('url', `names no Redis, and mode is ${mode}`);
    if (mode === 'sentinel' && nodes.length === 0) problem('nodes', 'must name at least one sentinel');
    if (mode === 'standalone' && nodes.length > 0) problem('nodes', 'is for the modes sentinel and cluster');
    if (mode === 'cluster' && /^rediss?:\/\/[^/]*\/0*[1-9]/.test(url)) problem('url', 'a cluster has database 0 alone');
    const secures = Object.values(tls).some((value) => value !== undefined);
    if (secures && !url.startsWith('rediss:')) problem('tls', 'is for rediss:// URLs');
  })
  .prefault({});

export type BrokerConfig = z.output<typeof brokerConfig>;
