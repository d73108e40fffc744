import {
  adminConfig,
  brokerConfig,
  listenConfig,
  logConfig,
  serversConfig,
  type UpstreamConfig,
} from '@listen-gateway/service-kit';
import { z } from 'zod';

const positiveInt = z.int().min(1);

const httpConfig = z
  .strictObject({
    allowedHosts: z
      .array(z.string().min(1))
      .optional()
      .describe('Host names that clients use; unset, those of loopback where bound to it, else any.'),
    allowedOrigins: z
      .array(z.string().min(1).toLowerCase())
      .optional()
      .describe('Origins such as https://app.example; unset, those of loopback where bound to it, else none.'),
  })
  .prefault({});

const limitsConfig = z
  .strictObject({
    streamsPerInstance: positiveInt
      .default(50_000)
      .describe('Streams that an instance holds; a listen above it gets 503.'),
    urisPerFilter: positiveInt.default(1_000).describe('URIs and task ids that one listen may name.'),
    uriLength: positiveInt.default(8_192).describe('Characters of one URI or task id.'),
    bodyBytes: positiveInt.default(4_194_304).describe('Bytes of one request body.'),
  })
  .prefault({});

const streamConfig = z
  .strictObject({
    keepaliveMs: z
      .int()
      .min(100)
      .default(15_000)
      .describe('A comment is written at least this often; must be below every proxy idle timeout on the way.'),
    stallMs: positiveInt.default(30_000).describe('A host that reads nothing for this long is dropped.'),
  })
  .prefault({});

const wait = z.int().min(0);

const drainConfig = z
  .strictObject({
    delayMs: wait.default(0).describe('Time for load balancers to notice at shutdown, before the first stream ends.'),
    windowMs: wait.default(20_000).describe('Time over which the ends of streams are spread, 100 a second if fewer.'),
    graceMs: z.int().min(100).default(5_000).describe('Time after that for hosts to read their end.'),
  })
  .prefault({});

/** A credential stands in the environment alone; that it does is found out at the start and not at the first request. */
const serversWithCredentials = serversConfig.superRefine((servers, context) => {
  for (const [serverId, { upstream }] of servers) {
    if (upstream?.authorization !== 'replace') continue;
    const path = [serverId, 'upstream', 'credentialVariable'];
    const { credentialVariable } = upstream;
    if (credentialVariable === undefined) context.addIssue({ code: 'custom', path, message: 'is needed to replace' });
    else if (!process.env[credentialVariable]) {
      context.addIssue({ code: 'custom', path, message: `${credentialVariable} is not set in the environment` });
    }
  }
});

/** What a host's `Authorization` is replaced by on the way to an upstream. */
export function credentialOf({ credentialVariable = '' }: UpstreamConfig): string {
  return process.env[credentialVariable] ?? '';
}

/** The settings of the gateway. */
export const gatewayConfig = z.strictObject({
  listen: listenConfig(8080),
  admin: adminConfig,
  broker: brokerConfig,
  servers: serversWithCredentials,
  http: httpConfig,
  limits: limitsConfig,
  stream: streamConfig,
  drain: drainConfig,
  log: logConfig,
});

export type GatewayConfig = z.output<typeof gatewayConfig>;
