import { readFileSync } from 'node:fs';
import {
  adminConfig,
  brokerConfig,
  isLoopback,
  listenConfig,
  logConfig,
  originsConfig,
  type ServerConfig,
  serversConfig,
  type UpstreamConfig,
} from '@listen-gateway/service-kit';
import { z } from 'zod';
import { isRange } from './http/trusted-proxies.ts';
import { limitsConfig } from './limits/limits-config.ts';

const positiveInt = z.int().min(1);

const httpConfig = z
  .strictObject({
    allowedHosts: z
      .array(z.string().min(1))
      .optional()
      .describe('Host names that clients use; unset, those of loopback where bound to it, else any.'),
    allowedOrigins: originsConfig
      .optional()
      .describe('Origins such as https://app.example; unset, those of loopback where bound to it, else none.'),
    publicUrl: z
      .url({ protocol: /^https?$/, error: 'must be https://… or http://…' })
      .regex(/^[^?#]*$/, 'must be without query and fragment')
      .optional()
      .describe('URL that hosts reach the gateway by; tokens are made for the URLs of servers beneath it.'),
    trustedProxies: z
      .array(z.string().refine(isRange, 'must be an address or a network such as 10.0.0.0/8'))
      .default([])
      .describe('Proxies in front whose X-Forwarded headers are believed.'),
    exposeWithoutAuthentication: z
      .boolean()
      .default(false)
      .describe(
        'Lets anybody who reaches the gateway listen to servers without auth; else they are bound to loopback.',
      ),
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
    resultAtExpiry: z
      .boolean()
      .default(false)
      .describe('Whether a stream whose token expired ends with the result; without it hosts listen again.'),
    resultAtDrain: z
      .boolean()
      .default(true)
      .describe('Whether a stream ends with the result when its instance shuts down.'),
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
  for (const [serverId, server] of servers) {
    for (const { path, variable } of credentialsOf(server)) {
      if (variable !== undefined && secretOf(variable) !== undefined) continue;
      const message = variable === undefined ? 'is needed to replace' : `${variable} is not set in the environment`;
      context.addIssue({ code: 'custom', path: [serverId, ...path], message });
    }
  }
});

interface CredentialSetting {
  readonly path: (string | number)[];
  readonly variable: string | undefined;
}

/** The settings of a server that name a variable of the environment. */
function credentialsOf({ auth, upstream }: ServerConfig): CredentialSetting[] {
  const introspections = (auth?.issuers ?? []).flatMap(({ introspection }, at) => {
    const path = ['auth', 'issuers', at, 'introspection', 'clientSecretVariable'];
    return introspection === undefined ? [] : [{ path, variable: introspection.clientSecretVariable }];
  });
  const asked = auth?.authorizer?.credentialVariable;
  const replaced = upstream?.authorization === 'replace';
  return [
    ...introspections,
    ...(asked === undefined ? [] : [{ path: ['auth', 'authorizer', 'credentialVariable'], variable: asked }]),
    ...(replaced ? [{ path: ['upstream', 'credentialVariable'], variable: upstream.credentialVariable }] : []),
  ];
}

/** What a host's `Authorization` is replaced by on the way to an upstream. */
export function credentialOf({ credentialVariable = '' }: UpstreamConfig): string {
  return secretOf(credentialVariable) ?? '';
}

/**
 * A secret of the environment: the variable itself, or the file that it names with `_FILE` appended. Either may end in the
 * line end of whatever wrote it, which no header can hold.
 */
export function secretOf(variable: string): string | undefined {
  const value = process.env[variable]?.trim();
  const path = process.env[`${variable}_FILE`];
  if (value || !path) return value || undefined;
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The settings of the gateway. */
export const gatewayConfig = z
  .strictObject({
    listen: listenConfig(8080),
    admin: adminConfig,
    broker: brokerConfig,
    servers: serversWithCredentials,
    http: httpConfig,
    limits: limitsConfig,
    stream: streamConfig,
    drain: drainConfig,
    log: logConfig,
  })
  .superRefine(checkExposure);

export type GatewayConfig = z.output<typeof gatewayConfig>;

/** What no section can say of itself: who is let in where strangers can come. */
export function checkExposure(
  { listen, servers, http }: Pick<GatewayConfig, 'listen' | 'servers' | 'http'>,
  context: z.RefinementCtx,
): void {
  // While something of the servers is wrong, they stand here as they were written.
  if (!(servers instanceof Map)) return;
  const open = [...servers].filter(([, { auth }]) => auth === undefined).map(([serverId]) => serverId);
  if (open.length > 0 && !isLoopback(listen.host) && !http.exposeWithoutAuthentication) {
    const message =
      `${listen.host} is reachable by others, and nobody is asked who they are at: ${open.join(', ')}. Set auth there, ` +
      'or listen on 127.0.0.1, or set http.exposeWithoutAuthentication if everybody may listen to everything';
    context.addIssue({ code: 'custom', path: ['listen', 'host'], message });
  }
  for (const [serverId, { auth }] of servers) {
    if (auth === undefined || auth.audience !== undefined || http.publicUrl !== undefined) continue;
    // Never from the Host header: a token for another audience could be brought with the Host that suits it.
    const message = 'is needed where http.publicUrl is not set: tokens must be made for this server';
    context.addIssue({ code: 'custom', path: ['servers', serverId, 'auth', 'audience'], message });
  }
}
