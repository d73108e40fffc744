import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gatewayConfig } from '@listen-gateway/service-gateway';
import {
  eventually,
  INSTALL_MS,
  LISTEN_HEADERS,
  listenBody,
  type NginxProcess,
  openListen,
  openNginx,
  type ServiceProcess,
  startService,
  within,
} from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { loadBalancer, NGINX_CONF } from './load-balancer.ts';
import { readShipped } from './repository.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function openFront(instances: readonly [number, number]): Promise<NginxProcess> {
  const nginx = await openNginx((port) => loadBalancer(port, instances));
  opened.push(() => nginx.close());
  return nginx;
}

/** An instance that stays alive for long after SIGTERM, and takes no more listens. */
async function startInstance(): Promise<ServiceProcess> {
  const instance = await startService('gateway', { LG_DRAIN__DELAY_MS: '30000' });
  opened.push(() => instance.kill());
  return instance;
}

async function drain(instance: ServiceProcess): Promise<void> {
  instance.signal('SIGTERM');
  await eventually(5_000, `${instance.url} to drain`, async () => (await instance.readiness()) === 503);
}

/** An upstream that takes each request whole and hangs up without an answer. */
async function openBroken(): Promise<{ readonly port: number; requests: number }> {
  const server: Server = createServer((request) => {
    broken.requests += 1;
    request.resume().on('end', () => request.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const broken = { port: (server.address() as AddressInfo).port, requests: 0 };
  opened.push(() => server.close());
  return broken;
}

/** What a configuration says, without comments, line by line. */
function directives(conf: string): string[] {
  return conf.split('\n').flatMap((line) => line.replace(/#.*/, '').trim() || []);
}

function seconds(directive: string): number[] {
  return Array.from(NGINX_CONF.matchAll(new RegExp(`^ *${directive} (\\d+)s;`, 'gm')), ([, value]) => Number(value));
}

const defaults = gatewayConfig.parse({});

describe('the shipped nginx configuration', { timeout: 60_000 + INSTALL_MS }, () => {
  it('lets three keepalives be late before it cuts a quiet stream (INS-02, FIELD C11, F7)', () => {
    const timeouts = seconds('proxy_read_timeout');
    expect(timeouts).toHaveLength(2);
    for (const timeout of timeouts) expect(timeout * 1_000).toBeGreaterThan(3 * defaults.stream.keepaliveMs);
  });

  it('differs from the one for containers in nothing but how that finds instances', () => {
    const shipped = directives(NGINX_CONF);
    const byName = directives(readShipped('deploy/nginx/docker.conf'));
    const finding = byName.filter((line) => /^resolver|^set /.test(line));
    expect(finding.map((line) => line.split(' ')[0])).toEqual(['resolver', 'resolver_timeout', 'set']);
    const asNamed = byName.map((line) => line.replace('http://$listen_gateways', 'http://listen_gateways'));
    expect(asNamed.filter((line) => !finding.includes(line))).toEqual(shipped.slice(shipped.indexOf('server {')));
  });

  it('lets in the bodies that the gateway takes, from memory', () => {
    const mebibytes = defaults.limits.bodyBytes / 2 ** 20;
    expect(NGINX_CONF).toContain(`client_max_body_size ${mebibytes}m;`);
    expect(NGINX_CONF).toContain(`client_body_buffer_size ${mebibytes}m;`);
  });

  it('gives an idle connection up before the instance does (FIELD F4)', async () => {
    const { url } = await startInstance();
    const promised = (await fetch(url)).headers.get('keep-alive');
    expect(seconds('keepalive_timeout')).toEqual([60]);
    expect(Number(promised?.replace('timeout=', ''))).toBeGreaterThan(60);
  });

  it('shows the acknowledgement at once and uncompressed, and asks whoever is in front of it not to buffer (P-2.10, FIELD C7, C8, C10)', async () => {
    const [one, two] = [await startInstance(), await startInstance()];
    const nginx = await openFront([one.port, two.port]);
    const stream = await openListen(`${nginx.url}/mcp`, { headers: { 'Accept-Encoding': 'gzip, br' } });
    expect((await stream.next('the acknowledgement', 1_000)).method).toContain('acknowledged');
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'transfer-encoding': 'chunked',
    });
    expect(stream.headers['content-encoding']).toBeUndefined();
    stream.close();
    await eventually(3_000, 'the instances to hear that the host left', async () => {
      const open = await Promise.all([one, two].map((instance) => instance.metric('lg_streams_open')));
      return open.every((streams) => streams === 0);
    });
  });

  it('takes a listen that a draining instance refuses to the other one (INS-05)', async () => {
    const [leaving, staying] = [await startInstance(), await startInstance()];
    const nginx = await openFront([leaving.port, staying.port]);
    await drain(leaving);
    for (let id = 0; id < 4; id += 1) {
      const stream = await openListen(`${nginx.url}/mcp`, { id });
      expect(stream.status).toBe(200);
      opened.push(() => stream.close());
    }
    expect(await staying.metric('lg_streams_open')).toBe(4);
  });

  it('passes the refusal on, with its Retry-After, as long as every instance refuses', async () => {
    const [one, two] = [await startInstance(), await startInstance()];
    const nginx = await openFront([one.port, two.port]);
    await Promise.all([drain(one), drain(two)]);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const answer = await openListen(`${nginx.url}/mcp`);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect((await answer.json()).error).toBeDefined();
    }
  });

  it('sends a listen to the next instance when one hangs up, and nothing else twice', async () => {
    const [one, two] = [await openBroken(), await openBroken()];
    const nginx = await openFront([one.port, two.port]);
    const post = async (method: string) => {
      const before = one.requests + two.requests;
      const headers = { ...LISTEN_HEADERS, 'Mcp-Method': method };
      const request = fetch(`${nginx.url}/mcp`, { method: 'POST', headers, body: listenBody(1, {}) });
      const { status } = await within(10_000, 'the answer of nginx', request);
      return { status, sent: one.requests + two.requests - before };
    };
    expect(await post('tools/call')).toEqual({ status: 502, sent: 1 });
    expect(await post('subscriptions/listen')).toEqual({ status: 502, sent: 2 });
  });
});
