import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { INSTALL_MS } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backends, openBackends } from './backends.ts';
import type { Balancer } from './balancer.ts';
import { BALANCERS } from './balancers.ts';
import type { FrontAnswer } from './front-answer.ts';
import { FrontHost, HTTP_VERSIONS, type HttpVersion } from './front-host.ts';

/** Above the 60 s that many proxies have, and that the shipped files have for listens. */
const IDLE_MS = 90_000;

const opened: { close(): unknown }[] = [];
const streams = new Map<string, FrontAnswer>();
/** The one connection of a load balancer to an instance, and what became of each request on it after a while of silence. */
const connection = new Agent({ keepAlive: true, maxSockets: 1 });
const reused: { readonly status: number | undefined; readonly sameConnection: boolean }[] = [];
let backends: Backends;

const keyOf = (balancer: Balancer, version: HttpVersion) => `${balancer.name} ${version}`;

// All wait at once, so that the minute and a half is spent once.
beforeAll(async () => {
  // Keepalives as they are unless told otherwise.
  backends = await openBackends();
  opened.push(backends);
  for (const balancer of BALANCERS) {
    const site = await backends.site();
    const front = await balancer.open('listen-gateway', site);
    opened.push(front);
    for (const version of HTTP_VERSIONS) {
      const host = await FrontHost.connect(front.url, site.certificate.certificate, version);
      opened.push(host);
      const stream = await host.listen();
      await stream.received(1);
      streams.set(keyOf(balancer, version), stream);
    }
  }
  const [instance] = backends.gateways;
  await asked(instance.url);
  for (const idleMs of [30_000, 59_000]) {
    await delay(idleMs);
    reused.push(await asked(instance.url));
  }
  await delay(IDLE_MS - 89_000);
  await backends.publish();
}, IDLE_MS + INSTALL_MS);
afterAll(async () => {
  connection.destroy();
  for (const one of opened.reverse()) await one.close();
});

/** Asks for what the instance answers by itself: there is nothing at this path. */
async function asked(url: string): Promise<(typeof reused)[number]> {
  const request = get(`${url}/nowhere`, { agent: connection });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, sameConnection: request.reusedSocket };
}

describe('a connection of a load balancer to an instance', () => {
  it('is still good when nothing was asked on it for 30 s, and for 59 s (FIELD F4)', () => {
    const good = { status: 404, sameConnection: true };
    expect(reused).toEqual([good, good]);
  });
});

describe.each(BALANCERS)('a stream on which nothing happens for 90 s, behind $name,', (balancer) => {
  it.each(HTTP_VERSIONS)('brings the next change, in %s (INS-02, FIELD C11, F7)', async (version) => {
    const stream = streams.get(keyOf(balancer, version));
    const messages = await stream?.received(2);
    expect(messages?.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ]);
    expect(stream?.comments, 'one keepalive each 15 s').toBeGreaterThanOrEqual(4);
    expect(stream?.over).toBe(false);
  });
});
