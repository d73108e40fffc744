import type { RequestListener } from 'node:http';
import { eventually, type FrontCertificate, freePort, INSTALL_MS, makeFrontCertificate } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBackends } from './backends.ts';
import { BALANCERS } from './balancers.ts';
import { toolCall } from './calls.ts';
import { openFailing } from './failing-instances.ts';
import { FrontHost, HTTP_VERSIONS, type HttpVersion } from './front-host.ts';

let certificate: FrontCertificate;
beforeAll(async () => {
  certificate = await makeFrontCertificate();
}, INSTALL_MS);
afterAll(() => certificate.close());
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const hangUp: RequestListener = ({ socket }) => socket.destroy();
/** How many requests their hosts left while they were thought about. */
let left = 0;
const think: RequestListener = (_, response) => response.on('close', () => (left += 1));
const refuse: RequestListener = (_, response) => response.writeHead(503, { 'Retry-After': '7' }).end('{}');

describe.each(BALANCERS)('$name', { timeout: 60_000 }, (balancer) => {
  /** A host in front of two instances that fail. */
  async function inFrontOf(fail: RequestListener, version: HttpVersion) {
    const gateways = { port: await freePort(), adminPort: await freePort() };
    const failing = await openFailing(gateways, fail);
    opened.push(failing);
    const site = { certificate, port: await freePort(), gateways, servers: { port: 0 } };
    const front = await balancer.open('listen-gateway', site);
    opened.push(front);
    const host = await FrontHost.connect(front.url, certificate.certificate, version);
    opened.push(host);
    return { failing, host };
  }

  it.each(HTTP_VERSIONS)('sends no call again that an instance has taken and not answered, in %s', async (version) => {
    const { failing, host } = await inFrontOf(hangUp, version);
    expect((await host.post(...toolCall('order'))).status).toBe(502);
    expect(failing.requests).toBe(1);
  });

  it.each(HTTP_VERSIONS)('ends a call at the instance once its host has left (FIELD F8), in %s', async (version) => {
    const { failing, host } = await inFrontOf(think, version);
    const before = left;
    host.post(...toolCall('order')).catch(() => 'never answered');
    await eventually(5_000, 'the call at the instance', () => failing.requests === 1);
    host.close();
    await eventually(3_000, 'the end of the call at the instance', () => left === before + 1);
  });

  it.each(HTTP_VERSIONS)(
    'passes a refusal on with its Retry-After where every instance refuses, in %s',
    async (version) => {
      const { failing, host } = await inFrontOf(refuse, version);
      const call = await host.post(...toolCall('order'));
      expect([call.status, call.headers['retry-after'], failing.requests]).toEqual([503, '7', 1]);
      const listen = await host.listen();
      expect([listen.status, listen.headers['retry-after']]).toEqual([503, '7']);
    },
  );
});

describe.each(BALANCERS)('$name, when an instance dies,', { timeout: 60_000 + INSTALL_MS }, (balancer) => {
  it('makes each call and each listen at the other one, and none twice', async () => {
    const backends = await openBackends();
    opened.push(backends);
    const site = await backends.site();
    const front = await balancer.open('listen-gateway', site);
    opened.push(front);
    const host = await FrontHost.connect(front.url, site.certificate.certificate, 'HTTP/2');
    opened.push(host);
    await backends.gateways[0].kill();
    const answered: string[] = [];
    const ask = async (id: string) => {
      const answers = [await host.post(...toolCall(id)), await host.listen(id)];
      if (answers[0]?.status === 200) answered.push(id);
      return answers.map(({ status }) => status);
    };
    if (balancer.triesOnce) {
      await eventually(5_000, 'its health check to find out', async () => {
        const statuses = await ask('early');
        for (const status of statuses) expect([200, 502]).toContain(status);
        return statuses.every((status) => status === 200) && (await ask('early')).every((status) => status === 200);
      });
    }
    for (let id = 0; id < 6; id += 1) expect(await ask(`call-${id}`)).toEqual([200, 200]);
    expect(backends.server.calls).toEqual(answered);
  });
});
