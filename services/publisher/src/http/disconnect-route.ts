import { type Broker, BrokerError, type Random, type Receipt } from '@listen-gateway/core';
import type { Disconnect, ServerId } from '@listen-gateway/protocol';
import { BROKEN_OFF, type Log, readBody, retryAfter, type ServersConfig, TOO_LARGE } from '@listen-gateway/service-kit';
import type { Context, Handler } from 'hono';
import type { Refusal } from '../problem.ts';
import { type DisconnectBody, readDisconnect, targetsOf } from '../read-disconnect.ts';
import { abandon, type PublisherEnv, refuse } from './answer.ts';
import { MAX_BODY_BYTES, mediaRefusal, readJson } from './json-body.ts';
import { type Pace, refuseForNow } from './pace.ts';

export const DISCONNECT_PATH = '/v1/principals/:subject/disconnect';

export interface DisconnectRouteOptions {
  readonly servers: ServersConfig;
  readonly broker: Broker;
  readonly random: Random;
  readonly log: Log;
  readonly pace: Pace;
}

/** `POST /v1/principals/{subject}/disconnect`: ends the principal's streams on every instance. */
export function disconnectRoute(options: DisconnectRouteOptions): Handler<PublisherEnv> {
  return async (c) => {
    const bytes = await readBody(c.env.incoming, MAX_BODY_BYTES);
    if (bytes === BROKEN_OFF) return abandon(c);
    if (bytes === TOO_LARGE) {
      const detail = `send at most ${MAX_BODY_BYTES} bytes in one request`;
      return refuse(c, { reason: 'body-too-large', detail }, { Connection: 'close' });
    }
    const read = bodyIn(c, bytes);
    if (!read.ok) return refuse(c, read.refusal);
    const targets = targetsOf(read.body.servers, options.servers, c.get('grant'));
    if (!targets.ok) return refuse(c, targets.refusal);
    const waitMs = await options.pace.changes(c, targets.serverIds.length);
    if (waitMs > 0) return refuseForNow(c, waitMs, options.random);
    const { sid, jti } = read.body;
    const subject = c.req.param('subject') ?? '';
    return disconnect(c, { kind: 'disconnect', subject, sid, jti }, targets.serverIds, options);
  };
}

type BodyIn = { readonly ok: true; readonly body: DisconnectBody } | { readonly ok: false; readonly refusal: Refusal };

/** No body means every stream of the principal; one that is there must be JSON as anywhere else. */
function bodyIn(c: Context<PublisherEnv>, bytes: Uint8Array): BodyIn {
  if (bytes.length === 0) return { ok: true, body: {} };
  const refusal = mediaRefusal(c.req.header('Content-Type'), c.req.header('Content-Encoding'));
  if (refusal !== undefined) return { ok: false, refusal };
  const json = readJson(bytes);
  if (!json.ok) return json;
  const read = readDisconnect(json.json);
  if (read.ok) return read;
  const detail = 'nobody was disconnected; mend what the errors point at';
  return { ok: false, refusal: { reason: 'invalid-disconnect', detail, problems: read.problems } };
}

async function disconnect(
  c: Context<PublisherEnv>,
  published: Disconnect,
  serverIds: readonly ServerId[],
  { broker, random, log }: DisconnectRouteOptions,
): Promise<Response> {
  const outcomes = await Promise.allSettled(serverIds.map((serverId) => publishTo(broker, serverId, published)));
  const receipts = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !(outcome.reason instanceof BrokerError)) throw outcome.reason;
  }
  if (receipts.length < serverIds.length) {
    const detail = 'the broker did not confirm it for every server; repeat it, which does no harm';
    return refuse(c, { reason: 'broker-unavailable', detail }, { 'Retry-After': retryAfter(random) });
  }
  const { publisher } = c.get('grant');
  // The audit: who did it and where; whom it concerned is personal.
  log.info({ requestId: c.get('requestId'), publisher, serverIds }, 'principal disconnected');
  c.set('outcome', 'published');
  return c.json({ receipts }, 202);
}

async function publishTo(
  broker: Broker,
  serverId: ServerId,
  published: Disconnect,
): Promise<Receipt & { readonly server: ServerId }> {
  const outcome = await broker.publish(serverId, [published]);
  const [receipt] = outcome.kind === 'key-reused' ? [] : outcome.receipts;
  if (receipt === undefined) throw new Error('the broker gave no receipt');
  return { server: serverId, ...receipt };
}
