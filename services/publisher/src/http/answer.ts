import type { HttpBindings } from '@hono/node-server';
import type { PublishOutcome } from '@listen-gateway/core';
import type { Context } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import type { Grant } from '../auth/grant.ts';
import type { Outcome } from '../metrics.ts';
import { problemDetails, type Refusal, statusOf } from '../problem.ts';
import type { PublishSpan } from '../tracing/publish-span.ts';

/** What the routes leave for the middleware that counts and logs. */
export interface PublisherEnv {
  Bindings: HttpBindings;
  Variables: RequestIdVariables & { outcome: Outcome; grant: Grant; span: PublishSpan };
}

/** By what a line of the log is found: the request, and the trace that it belongs to. */
export function identity(c: Context<PublisherEnv>): Readonly<Record<'requestId' | 'trace_id', string | undefined>> {
  // Refused requests have no span; the context's own type does not know that.
  const span: PublishSpan | undefined = c.get('span');
  return { requestId: c.get('requestId'), trace_id: span?.traceId };
}

/** Answers with RFC 9457 problem details. */
export function refuse(c: Context<PublisherEnv>, refusal: Refusal, headers: Record<string, string> = {}): Response {
  c.set('outcome', refusal.reason);
  const body = JSON.stringify(problemDetails(refusal));
  return c.body(body, statusOf(refusal.reason), { 'Content-Type': 'application/problem+json', ...headers });
}

/** Answers with the receipts of what was published, now or under the same key before. */
export function accept(c: Context<PublisherEnv>, outcome: Exclude<PublishOutcome, { kind: 'key-reused' }>): Response {
  c.set('outcome', outcome.kind);
  if (outcome.kind === 'replayed') c.header('Idempotency-Replayed', 'true');
  return c.json({ receipts: outcome.receipts }, 202);
}

/** Ends a request whose backend has left; nobody reads this. */
export function abandon(c: Context<PublisherEnv>): Response {
  c.set('outcome', 'abandoned');
  return c.body(null, 400);
}
