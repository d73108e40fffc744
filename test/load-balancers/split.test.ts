import { type FrontProcess, INSTALL_MS } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backends, openBackends } from './backends.ts';
import { BALANCERS } from './balancers.ts';
import { legacyRequest, request, toolCall } from './calls.ts';
import { FrontHost, HTTP_VERSIONS } from './front-host.ts';

let backends: Backends;
beforeAll(async () => {
  backends = await openBackends();
}, INSTALL_MS);
afterAll(() => backends.close());

/** What the gateways have forwarded; a request that went past them is not among it. */
async function forwarded(): Promise<number> {
  const texts = backends.gateways.map(async ({ adminUrl }) => (await fetch(`${adminUrl}/metrics`)).text());
  const lines = (await Promise.all(texts)).join('\n').match(/^lg_proxy_requests_total\{.*\} (\d+)$/gm) ?? [];
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

describe.each(BALANCERS)('$name, routing on Mcp-Method,', (balancer) => {
  const opened: { close(): unknown }[] = [];
  let front: FrontProcess;
  let ca: string;
  beforeAll(async () => {
    const site = await backends.site();
    ca = site.certificate.certificate;
    front = await balancer.open('split', site);
    opened.push(front);
  }, INSTALL_MS);
  afterAll(async () => {
    for (const one of opened.reverse()) await one.close();
  });

  it.each(HTTP_VERSIONS)('takes listens to the gateway and calls past it, in %s', async (version) => {
    const host = await FrontHost.connect(front.url, ca, version);
    opened.push(host);
    const before = await forwarded();
    const stream = await host.listen();
    await stream.received(1);
    const called = backends.server.calls.length;
    const answer = await host.post(...toolCall(`${balancer.name} ${version}`));
    expect([answer.status, await answer.whole()]).toEqual([200, expect.stringContaining('done')]);
    expect(backends.server.calls.slice(called)).toEqual([`${balancer.name} ${version}`]);
    const legacy = await host.post(...legacyRequest('initialize', 1));
    expect([legacy.status, JSON.parse(await legacy.whole())]).toMatchObject([404, { error: { message: 'unknown' } }]);
    expect(await forwarded()).toBe(before);
    await backends.publish();
    await stream.received(2);
    stream.leave();
  });

  it('takes discovers to the gateway, which announces what it delivers', async () => {
    const host = await FrontHost.connect(front.url, ca, 'HTTP/2');
    opened.push(host);
    const answer = await host.post(...request('server/discover', 'D'));
    const { result } = JSON.parse(await answer.whole()) as { result: { serverInfo: object } };
    expect(result).toMatchObject({ capabilities: { tools: { listChanged: true } } });
    expect(backends.server.methods.filter((method) => method === 'server/discover').length).toBeGreaterThan(0);
  });

  it('asks the gateway who gives hosts a token (RFC 9728)', async () => {
    const host = await FrontHost.connect(front.url, ca, 'HTTP/2');
    opened.push(host);
    const before = backends.server.methods.length;
    const answer = await host.get('/.well-known/oauth-protected-resource/mcp');
    // No server of these has auth; that is what the gateway says of it.
    expect(await answer.whole()).toContain('There is no metadata of this resource');
    expect(backends.server.methods).toHaveLength(before);
  });
});
