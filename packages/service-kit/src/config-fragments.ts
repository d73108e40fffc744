import { type ChangeCapabilities, isServerId, type ServerId } from '@listen-gateway/protocol';
import { z } from 'zod';
import { authConfig } from './config-auth.ts';

/**
 * Every top-level section of `listen-gateway.yaml`. The services share one file, so each passes over the sections that
 * only another reads; a section named nowhere here is a misspelling.
 */
export const CONFIG_SECTIONS = [
  'broker',
  'servers',
  'listen',
  'http',
  'limits',
  'stream',
  'drain',
  'publisher',
  'sample',
  'admin',
  'log',
] as const;

const port = z.int().min(0).max(65_535);
const positiveInt = z.int().min(1);

const on = z.boolean().default(true);

const capabilitiesConfig = z
  .strictObject({
    tools: on.describe('Whether changes of the tool list are announced and delivered.'),
    prompts: on.describe('Whether changes of the prompt list are.'),
    resources: z
      .strictObject({
        listChanged: on.describe('Whether changes of the resource list are.'),
        subscribe: on.describe('Whether hosts may subscribe to single URIs.'),
        subResources: z
          .boolean()
          .default(false)
          .describe('Whether a subscription to a URI also hears of what is beneath it.'),
      })
      .prefault({}),
    tasks: on.describe('Whether task states are (Tasks extension).'),
  })
  .prefault({});

/** Where everything of a server but its listens goes. */
export const upstreamConfig = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be http://… or https://…' })
    .describe('MCP endpoint that everything but listens is forwarded to.'),
  authorization: z
    .enum(['off', 'pass', 'replace'])
    .default('off')
    .describe("What it gets of a host's Authorization: pass only where it is the token's audience."),
  credentialVariable: z
    .string()
    .min(1)
    .optional()
    .describe('Environment variable with the Authorization value that replaces it.'),
  connectTimeoutMs: positiveInt.default(5_000).describe('Time for a connection to it.'),
  headTimeoutMs: positiveInt.default(300_000).describe('Time for the head of its answer; a stream may then go on.'),
});

const serverConfig = z.strictObject({
  capabilities: capabilitiesConfig,
  name: z.string().min(1).optional().describe('What server/discover calls the server; its id unless set.'),
  title: z.string().min(1).optional().describe('Its name for people.'),
  version: z.string().min(1).optional().describe('Its version in server/discover.'),
  instructions: z.string().min(1).optional().describe('What server/discover tells models about its use.'),
  upstream: upstreamConfig.optional().describe('Where everything but listens is forwarded to, if anywhere.'),
  auth: authConfig.optional().describe('How its hosts are authenticated; unset, they are not.'),
});

const serverId = z.custom<ServerId>(
  (value) => typeof value === 'string' && isServerId(value),
  'a server is named with 1–64 letters, digits, ".", "_" or "-", the first a letter or digit',
);

/** The servers; a map, so that a server called `constructor` is unknown unless somebody configured it. */
export const serversConfig = z
  .record(serverId, serverConfig)
  .refine((servers) => Object.keys(servers).length > 0, 'at least one server is needed')
  .transform((servers): ServersConfig => new Map(Object.entries(servers) as [ServerId, ServerConfig][]))
  .prefault({ ['default' as ServerId]: {} })
  .describe('The servers that hosts listen to and backends publish for, by id.');

/** Where a service listens. */
export function listenConfig(defaultPort: number) {
  return z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1').describe('Address to listen on; 0.0.0.0 or :: for all.'),
      port: port.default(defaultPort).describe('Port to listen on; 0 takes a free one.'),
      requestTimeoutMs: z
        .int()
        .min(100)
        .default(80_000)
        .describe('Time for a request to arrive whole, head and body; and for a connection to bring its first.'),
      keepAliveTimeoutMs: z
        .int()
        .min(100)
        .default(75_000)
        .describe('Time for which an idle connection is kept; must be above what load balancers keep theirs.'),
      headerBytes: z
        .int()
        .min(1_024)
        .max(262_144)
        .default(16_384)
        .describe('Bytes of the head of one request; above it the request gets 431.'),
    })
    .prefault({});
}

/** Where health and metrics are served; a port of its own, to be kept private. */
export const adminConfig = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1').describe('Address of /livez, /readyz and /metrics.'),
    port: port.default(9090).describe('Port of /livez, /readyz and /metrics.'),
  })
  .prefault({});

export const logConfig = z
  .strictObject({
    level: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .default('info')
      .describe('Least level written.'),
    pretty: z.boolean().default(false).describe('Lines for people instead of JSON.'),
  })
  .prefault({});

export type ServerConfig = Omit<z.output<typeof serverConfig>, 'capabilities'> & {
  readonly capabilities: ChangeCapabilities;
};
export type UpstreamConfig = z.output<typeof upstreamConfig>;
export type ServersConfig = ReadonlyMap<ServerId, ServerConfig>;
export type ListenConfig = z.output<ReturnType<typeof listenConfig>>;
export type AdminConfig = z.output<typeof adminConfig>;
export type LogConfig = z.output<typeof logConfig>;
