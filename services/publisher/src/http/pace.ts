import type { Random, SharedLimits } from '@listen-gateway/core';
import { isLoopback, retryAfter } from '@listen-gateway/service-kit';
import type { Context, MiddlewareHandler } from 'hono';
import { ANYBODY } from '../auth/grant.ts';
import type { PublisherConfig } from '../config.ts';
import { type PublisherEnv, refuse } from './answer.ts';

/** How fast each publisher may publish; each resolves with the milliseconds to wait, 0 for none. */
export interface Pace {
  request(c: Context<PublisherEnv>): Promise<number>;
  changes(c: Context<PublisherEnv>, count: number): Promise<number>;
}

/** Over which a rate is counted: a deployment that publishes a lot at once and then nothing is well within it. */
const WINDOW_S = 10;
const REQUESTS_PER_SECOND = 200;
const CHANGES_PER_SECOND = 5_000;

/** The limits of the configuration; on loopback there are none unless somebody sets them. */
export function openPace({ host, limits }: PublisherConfig['publisher'], shared: SharedLimits): Pace {
  const open = (name: string, perSecond: number | undefined) => {
    if (perSecond === undefined) return async () => 0;
    const rate = shared.rate(name, { points: perSecond * WINDOW_S, seconds: WINDOW_S });
    return (c: Context<PublisherEnv>, points: number) => rate.take(publisherOf(c), points);
  };
  const usual = (perSecond: number) => (isLoopback(host) ? undefined : perSecond);
  const requests = open('publish-requests', limits.requestsPerSecond ?? usual(REQUESTS_PER_SECOND));
  const changes = open('changes', limits.changesPerSecond ?? usual(CHANGES_PER_SECOND));
  return { request: (c) => requests(c, 1), changes };
}

/** Refuses a publisher that asks too often before anything of its request is read. */
export function paced(pace: Pace, random: Random): MiddlewareHandler<PublisherEnv> {
  return async (c, next) => {
    const waitMs = await pace.request(c);
    return waitMs > 0 ? refuseForNow(c, waitMs, random, { Connection: 'close' }) : next();
  };
}

/** Answers 429; those refused together are told to come back at different times. */
export function refuseForNow(
  c: Context<PublisherEnv>,
  waitMs: number,
  random: Random,
  headers: Record<string, string> = {},
): Response {
  const waitS = Math.ceil(waitMs / 1_000) + Number(retryAfter(random));
  const detail = `this publisher has sent more than it may; try again in ${waitS} seconds`;
  return refuse(c, { reason: 'too-many-requests', detail }, { 'Retry-After': String(waitS), ...headers });
}

/** Whose allowance is spent: the publisher's, or the address's where nobody is asked who they are. */
function publisherOf(c: Context<PublisherEnv>): string {
  const { publisher } = c.get('grant');
  return publisher === ANYBODY.publisher ? `address:${c.env.incoming.socket.remoteAddress}` : publisher;
}
