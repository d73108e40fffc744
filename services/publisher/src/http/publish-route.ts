import { type Broker, BrokerError, type PublishOutcome, type Random } from '@listen-gateway/core';
import { isServerId, type ServerId } from '@listen-gateway/protocol';
import { retryAfter, type ServerConfig, type ServersConfig } from '@listen-gateway/service-kit';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { undeliverable } from '../deliverable.ts';
import { idempotencyOf } from '../idempotency.ts';
import type { PublishMetrics } from '../metrics.ts';
import { type ReadChanges, readChanges } from '../read-changes.ts';
import { accept, type PublisherEnv, refuse } from './answer.ts';
import { MAX_BODY_BYTES, mediaRefusal, readJson } from './json-body.ts';

export const CHANGES_PATH = '/v1/servers/:server/changes';

export interface PublishRouteOptions {
  readonly servers: ServersConfig;
  readonly broker: Broker;
  readonly metrics: PublishMetrics;
  readonly random: Random;
}

type Step = MiddlewareHandler<PublisherEnv>;

/** `POST /v1/servers/{server}/changes`, cheapest checks first; nothing is published if anything is wrong. */
export function publishRoute(options: PublishRouteOptions): [Step, Step, Step] {
  return [
    async (c, next) => {
      if (serverOf(c, options.servers) === undefined) {
        return refuse(c, { reason: 'unknown-server', detail: 'no server of this name is configured' });
      }
      const refusal = mediaRefusal(c.req.header('Content-Type'), c.req.header('Content-Encoding'));
      return refusal === undefined ? next() : refuse(c, refusal);
    },
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (c) =>
        refuse(
          c,
          { reason: 'body-too-large', detail: `send at most ${MAX_BODY_BYTES} bytes in one request` },
          // What is left of the body is not worth reading to keep the connection.
          { Connection: 'close' },
        ),
    }),
    (c) => publishBody(c, options),
  ];
}

async function publishBody(c: Context<PublisherEnv>, options: PublishRouteOptions): Promise<Response> {
  const server = serverOf(c, options.servers);
  if (server === undefined) throw new Error('the server was there a moment ago');
  const read = readJson(await c.req.arrayBuffer());
  if (!read.ok) return refuse(c, read.refusal);

  const body = readChanges(read.json);
  if (!body.ok) {
    const detail = 'nothing was published; mend what the errors point at';
    return refuse(c, { reason: 'invalid-changes', detail, problems: body.problems });
  }
  const problems = undeliverable(body, server.config.capabilities);
  if (problems.length > 0) {
    return refuse(c, { reason: 'undeliverable-changes', detail: 'nothing was published', problems });
  }
  return publish(c, server.id, body, options);
}

async function publish(
  c: Context<PublisherEnv>,
  serverId: ServerId,
  { changes }: ReadChanges,
  { broker, metrics, random }: PublishRouteOptions,
): Promise<Response> {
  const key = c.req.header('Idempotency-Key');
  const idempotency = key === undefined ? undefined : idempotencyOf(key, changes);
  if (key !== undefined && idempotency === undefined) {
    return refuse(c, { reason: 'invalid-idempotency-key', detail: 'use 1–255 visible ASCII characters' });
  }
  let outcome: PublishOutcome;
  try {
    outcome = await broker.publish(serverId, changes, idempotency);
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    const detail = 'the broker did not confirm them in time; retry with the same Idempotency-Key';
    return refuse(c, { reason: 'broker-unavailable', detail }, { 'Retry-After': retryAfter(random) });
  }
  if (outcome.kind === 'key-reused') {
    return refuse(c, { reason: 'idempotency-key-reused', detail: 'use a new key for new changes' });
  }
  if (outcome.kind === 'published') for (const { kind } of changes) metrics.published(kind);
  return accept(c, outcome);
}

function serverOf(
  c: Context<PublisherEnv>,
  servers: ServersConfig,
): { readonly id: ServerId; readonly config: ServerConfig } | undefined {
  const id = c.req.param('server') ?? '';
  const config = isServerId(id) ? servers.get(id) : undefined;
  return config === undefined ? undefined : { id: id as ServerId, config };
}
