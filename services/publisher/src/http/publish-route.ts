import { type Broker, BrokerError, type PublishOutcome, type Random } from '@listen-gateway/core';
import { type Change, type ChangeCapabilities, isServerId, type ServerId } from '@listen-gateway/protocol';
import { BROKEN_OFF, readBody, retryAfter, type ServersConfig, TOO_LARGE } from '@listen-gateway/service-kit';
import type { Context, Handler } from 'hono';
import { undeliverable } from '../deliverable.ts';
import { idempotencyOf } from '../idempotency.ts';
import type { PublishMetrics } from '../metrics.ts';
import type { Refusal } from '../problem.ts';
import { readChanges } from '../read-changes.ts';
import { abandon, accept, type PublisherEnv, refuse } from './answer.ts';
import { MAX_BODY_BYTES, mediaRefusal, readJson } from './json-body.ts';

export const CHANGES_PATH = '/v1/servers/:server/changes';

export interface PublishRouteOptions {
  readonly servers: ServersConfig;
  readonly broker: Broker;
  readonly metrics: PublishMetrics;
  readonly random: Random;
}

/** `POST /v1/servers/{server}/changes`, cheapest checks first; nothing is published if anything is wrong. */
export function publishRoute(options: PublishRouteOptions): Handler<PublisherEnv> {
  return async (c) => {
    const id = c.req.param('server') ?? '';
    const server = isServerId(id) ? options.servers.get(id) : undefined;
    if (!isServerId(id) || server === undefined) {
      return refuse(c, { reason: 'unknown-server', detail: 'no server of this name is configured' });
    }
    const refusal = mediaRefusal(c.req.header('Content-Type'), c.req.header('Content-Encoding'));
    if (refusal !== undefined) return refuse(c, refusal);

    const bytes = await readBody(c.env.incoming, MAX_BODY_BYTES);
    if (bytes === BROKEN_OFF) return abandon(c);
    if (bytes === TOO_LARGE) {
      const detail = `send at most ${MAX_BODY_BYTES} bytes in one request`;
      // What is left of the body is not worth reading to keep the connection.
      return refuse(c, { reason: 'body-too-large', detail }, { Connection: 'close' });
    }
    const changes = changesIn(bytes, server.capabilities);
    return changes.ok ? publish(c, id, changes.changes, options) : refuse(c, changes.refusal);
  };
}

type ChangesIn =
  | { readonly ok: true; readonly changes: readonly Change[] }
  | { readonly ok: false; readonly refusal: Refusal };

function changesIn(bytes: Uint8Array, capabilities: ChangeCapabilities): ChangesIn {
  const read = readJson(bytes);
  if (!read.ok) return read;
  const body = readChanges(read.json);
  const detail = 'nothing was published; mend what the errors point at';
  if (!body.ok) return { ok: false, refusal: { reason: 'invalid-changes', detail, problems: body.problems } };
  const problems = undeliverable(body, capabilities);
  if (problems.length > 0) return { ok: false, refusal: { reason: 'undeliverable-changes', detail, problems } };
  return body;
}

async function publish(
  c: Context<PublisherEnv>,
  serverId: ServerId,
  changes: readonly Change[],
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
