import type { Random } from '@listen-gateway/core';
import { type Log, retryAfter } from '@listen-gateway/service-kit';
import type { MiddlewareHandler } from 'hono';
import type { AuthVerdict, PublisherAuth } from '../auth/publisher-auth.ts';
import type { Refusal } from '../problem.ts';
import { type PublisherEnv, refuse } from './answer.ts';

export interface AuthenticateOptions {
  readonly auth: PublisherAuth;
  readonly random: Random;
  readonly log: Log;
}

/** Lets in only requests whose credential is good, and leaves what it grants to the routes; nothing is read before. */
export function authenticate({ auth, random, log }: AuthenticateOptions): MiddlewareHandler<PublisherEnv> {
  return async (c, next) => {
    const verdict = await auth.authenticate(c.env.incoming.headers.authorization);
    if (verdict.kind === 'granted') {
      c.set('grant', verdict.grant);
      return next();
    }
    if (verdict.kind === 'unverifiable') {
      const why = verdict.cause instanceof Error ? verdict.cause.message : String(verdict.cause);
      log.warn({ why }, 'keys of the issuer cannot be had');
    }
    const { refusal, headers } = answerTo(verdict, random);
    // The body was not read, and is not worth reading to keep the connection.
    return refuse(c, refusal, { ...headers, Connection: 'close' });
  };
}

function answerTo(
  verdict: Exclude<AuthVerdict, { readonly kind: 'granted' }>,
  random: Random,
): { readonly refusal: Refusal; readonly headers: Record<string, string> } {
  switch (verdict.kind) {
    case 'absent': {
      const detail = 'send a key or token as Authorization: Bearer …';
      return { refusal: { reason: 'unauthenticated', detail }, headers: { 'WWW-Authenticate': 'Bearer' } };
    }
    case 'invalid': {
      const detail = 'the key or token is not good, or not any more';
      const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
      return { refusal: { reason: 'unauthenticated', detail }, headers };
    }
    case 'unscoped': {
      const { scope } = verdict;
      const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
      return { refusal: { reason: 'not-permitted', detail: `the token lacks the scope ${scope}` }, headers };
    }
    case 'unverifiable': {
      const detail = 'the token cannot be verified at the moment; try again';
      return { refusal: { reason: 'issuer-unavailable', detail }, headers: { 'Retry-After': retryAfter(random) } };
    }
  }
}
