import { eventually, INSTALL_MS } from '@listen-gateway/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Backends, openBackends } from './backends.ts';
import { BALANCERS } from './balancers.ts';
import { HTTP_VERSIONS, type HttpVersion } from './front-host.ts';

let backends: Backends;
beforeAll(async () => {
  backends = await openBackends();
}, INSTALL_MS);
afterAll(() => backends.close());
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** Fetches over TLS by either version of HTTP; Node's own `fetch` speaks HTTP/1.1 alone. */
function secureFetch(ca: string, version: HttpVersion): typeof fetch {
  const dispatcher = new Agent({ allowH2: version === 'HTTP/2', connect: { ca } });
  opened.push({ close: () => dispatcher.destroy() });
  const fetching = (url: string | URL, init?: object) => undiciFetch(url, { ...init, dispatcher });
  return fetching as unknown as typeof fetch;
}

describe.each(BALANCERS)('the official client behind $name', { timeout: 60_000 }, (balancer) => {
  it.each(HTTP_VERSIONS)('discovers, listens, hears a change and calls, in %s over TLS', async (version) => {
    const site = await backends.site();
    const front = await balancer.open('listen-gateway', site);
    opened.push(front);
    const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const heard: string[] = [];
    client.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
    const secure = secureFetch(site.certificate.certificate, version);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${front.url}/mcp`), { fetch: secure }));
    opened.push(client);
    const subscription = await client.listen({ toolsListChanged: true });
    expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });
    await backends.publish();
    await eventually(5_000, 'the change', () => heard.length === 1);
    expect(heard).toEqual(['notifications/tools/list_changed']);
    const { content } = await client.callTool({ name: 'order', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: 'done' }]);
  });
});
