import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import {
  INSTALL_MS,
  makeRedisCertificates,
  type RedisCertificates,
  type ServiceProcess,
  startService,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALL, send } from '../test/proxied-host.ts';

const EVENTS = 'data: {"größer":1}\n\n';
let certificates: RedisCertificates;
let upstream: Http2SecureServer;
let gateway: ServiceProcess;
const versions: string[] = [];

beforeAll(async () => {
  certificates = await makeRedisCertificates();
  const { serverArguments, caFile } = certificates;
  const fileOf = (option: string) => readFileSync(serverArguments[serverArguments.indexOf(option) + 1] as string);
  // It speaks what its client prefers, as load balancers and CDNs do.
  const tls = { cert: fileOf('--tls-cert-file'), key: fileOf('--tls-key-file'), allowHTTP1: true };
  upstream = createSecureServer(tls, (request, response) => {
    versions.push(request.httpVersion);
    request.resume();
    request.on('end', () =>
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-known': '1' }).end(EVENTS),
    );
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  const url = `https://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`;
  const servers = JSON.stringify({ default: { upstream: { url } } });
  gateway = await startService('gateway', { LG_SERVERS: servers, NODE_EXTRA_CA_CERTS: caFile });
}, INSTALL_MS);
afterAll(async () => {
  await gateway.kill();
  upstream.close();
  await certificates.close();
});

describe('an upstream behind TLS', () => {
  it('that speaks HTTP/2 as well is forwarded to like any other', async () => {
    for (const _ of [1, 2]) {
      const answer = await send(`${gateway.url}/mcp`, CALL).answer();
      expect([answer.status, await answer.end(), answer.text]).toEqual([200, 'complete', EVENTS]);
      expect([answer.values('content-type'), answer.values('x-known')]).toEqual([['text/event-stream'], ['1']]);
    }
    expect(versions).toEqual(['1.1', '1.1']);
  });

  it('whose certificate nobody vouches for is answered for with 502', async () => {
    const servers = JSON.stringify({
      default: { upstream: { url: `https://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp` } },
    });
    const distrustful = await startService('gateway', { LG_SERVERS: servers });
    try {
      expect((await send(`${distrustful.url}/mcp`, CALL).answer()).status).toBe(502);
      expect(versions).toHaveLength(2);
    } finally {
      await distrustful.kill();
    }
  });
});
