import { type Broker, BrokerError, type PublishOutcome, type Random } from '@listen-gateway/core';
import { type Change, type ChangeKind, isServerId, type ServerId } from '@listen-gateway/protocol';
import { BROKEN_OFF, type Log, readBody, retryAfter, type ServersConfig, TOO_LARGE } from '@listen-gateway/service-kit';
import type { Context, Handler } from 'hono';
import { missing } from '../auth/grant.ts';
import { type Audible, undeliverable } from '../deliverable.ts';
import { idempotencyOf } from '../idempotency.ts';
import type { PublishMetrics } from '../metrics.ts';
import type { Refusal } from '../problem.ts';
import { readChanges } from '../read-changes.ts';
import { abandon, accept, identity, type PublisherEnv, refuse } from './answer.ts';
import { MAX_BODY_BYTES, mediaRefusal, readJson } from './json-body.ts';
import { type Pace, refuseForNow } from './pace.ts';

export const CHANGES_PATH = '/v1/servers/:server/changes';

export interface PublishRouteOptions {
  readonly servers: ServersConfig;
  readonly broker: Broker;
  readonly metrics: PublishMetrics;
  readonly random: Random;
  readonly log: Log;
  readonly pace: Pace;
}

/** `POST /v1/servers/{server}/changes`, cheapest checks first; nothing is published if anything is wrong. */
export function publishRoute(options: PublishRouteOptions): Handler<PublisherEnv> {
  return async (c) => {
    const place = placeOf(c, options.servers);
    if ('reason' in place) return refuse(c, place);
    const bytes = await readBody(c.env.incoming, MAX_BODY_BYTES);
    if (bytes === BROKEN_OFF) return abandon(c);
    if (bytes === TOO_LARGE) {
      const detail = `send at most ${MAX_BODY_BYTES} bytes in one request`;
      // What is left of the body is not worth reading to keep the connection.
      return refuse(c, { reason: 'body-too-large', detail }, { Connection: 'close' });
    }
    const read = changesIn(bytes, place.server);
    if (!read.ok) return refuse(c, read.refusal);
    const { serverId } = place;
    const { changes } = read;
    const lacking = missing(
      c.get('grant'),
      serverId,
      changes.map(({ kind }) => kind),
    );
    if (lacking !== undefined) return refuse(c, notPermitted(lacking));
    const waitMs = await options.pace.changes(c, changes.length);
    return waitMs > 0 ? refuseForNow(c, waitMs, options.random) : publish(c, serverId, changes, options);
  };
}

/** Where a request publishes to, if it may and can. */
function placeOf(
  c: Context<PublisherEnv>,
  servers: ServersConfig,
): Refusal | { readonly serverId: ServerId; readonly server: Audible } {
  const id = c.req.param('server') ?? '';
  // Before anything is said of the server: whoever may not publish there learns nothing of it.
  const lacking = missing(c.get('grant'), id as ServerId, []);
  if (lacking !== undefined) return notPermitted(lacking);
  const server = isServerId(id) ? servers.get(id) : undefined;
  if (!isServerId(id) || server === undefined) {
    return { reason: 'unknown-server', detail: 'no server of this name is configured' };
  }
  const refusal = mediaRefusal(c.req.header('Content-Type'), c.req.header('Content-Encoding'));
  return refusal ?? { serverId: id, server };
}

/** Says what the credential would have to be good for. */
function notPermitted(lacking: string): Refusal {
  return { reason: 'not-permitted', detail: `the credential is not good for ${lacking}` };
}

type ChangesIn =
  | { readonly ok: true; readonly changes: readonly Change[] }
  | { readonly ok: false; readonly refusal: Refusal };

function changesIn(bytes: Uint8Array, server: Audible): ChangesIn {
  const read = readJson(bytes);
  if (!read.ok) return read;
  const body = readChanges(read.json);
  const detail = 'nothing was published; mend what the errors point at';
  if (!body.ok) return { ok: false, refusal: { reason: 'invalid-changes', detail, problems: body.problems } };
  const problems = undeliverable(body, server);
  if (problems.length > 0) return { ok: false, refusal: { reason: 'undeliverable-changes', detail, problems } };
  return body;
}

async function publish(
  c: Context<PublisherEnv>,
  serverId: ServerId,
  changes: readonly Change[],
  { broker, metrics, random, log }: PublishRouteOptions,
): Promise<Response> {
  const key = c.req.header('Idempotency-Key');
  const idempotency = key === undefined ? undefined : idempotencyOf(key, changes, c.get('grant'));
  if (key !== undefined && idempotency === undefined) {
    return refuse(c, { reason: 'invalid-idempotency-key', detail: 'use 1–255 visible ASCII characters' });
  }
  let outcome: PublishOutcome;
  try {
    outcome = await broker.publish(serverId, c.get('span').carried(serverId, changes), idempotency);
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    const detail = 'the broker did not confirm them in time; retry with the same Idempotency-Key';
    return refuse(c, { reason: 'broker-unavailable', detail }, { 'Retry-After': retryAfter(random) });
  }
  if (outcome.kind === 'key-reused') {
    return refuse(c, { reason: 'idempotency-key-reused', detail: 'use a new key for new changes' });
  }
  if (outcome.kind === 'published') {
    for (const { kind } of changes) metrics.published(kind);
    const { publisher } = c.get('grant');
    // The audit: who, where and how many of what; a URI or a task may be private.
    log.info({ ...identity(c), publisher, serverId, kinds: countsOf(changes) }, 'changes published');
  }
  return accept(c, outcome);
}

function countsOf(changes: readonly Change[]): Readonly<Record<string, number>> {
  const counts: Partial<Record<ChangeKind, number>> = {};
  for (const { kind } of changes) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
