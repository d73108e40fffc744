import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { type Readiness, startAdminServer } from './admin-server.ts';
import type { HttpServer } from './http-server.ts';

describe('the admin server', () => {
  let server: HttpServer;
  let readiness: Readiness;
  let alive: boolean;
  let metrics: Metrics;
  let logged: string;

  beforeEach(async () => {
    readiness = { ready: true, reasons: [] };
    alive = true;
    logged = '';
    metrics = createMetrics({ service: 'test' });
    const destination = new Writable({
      write(line, _encoding, done) {
        logged += String(line);
        done();
      },
    });
    server = await startAdminServer({
      host: '127.0.0.1',
      port: 0,
      metrics: { registry: metrics.registry, expose: () => metrics.expose() },
      log: createLog({ level: 'info', pretty: false }, { destination }),
      live: () => alive,
      ready: () => readiness,
    });
  });
  afterEach(() => server.close());

  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(server.url + path, { method });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };

  it('says on /readyz whether it is ready, and why not', async () => {
    expect(await ask('/readyz')).toMatchObject({ status: 200, text: '{"ready":true,"reasons":[]}' });
    readiness = { ready: true, reasons: [], degraded: ['broker: gone'] };
    expect(await ask('/readyz')).toMatchObject({ status: 200, text: expect.stringContaining('broker: gone') });
    readiness = { ready: false, reasons: ['draining'] };
    expect(await ask('/readyz')).toMatchObject({ status: 503, text: '{"ready":false,"reasons":["draining"]}' });
  });

  it('has a metric that says what /readyz says', async () => {
    const shown = async () => /^lg_ready .*$/m.exec((await ask('/metrics')).text)?.[0];
    expect(await shown()).toBe('lg_ready 1');
    readiness = { ready: false, reasons: ['draining'] };
    expect(await shown()).toBe('lg_ready 0');
    readiness = { ready: true, reasons: [], degraded: ['broker: gone'] };
    expect(await shown()).toBe('lg_ready 1');
  });

  it('says on /livez whether it lives, whatever its readiness', async () => {
    readiness = { ready: false, reasons: ['broker: gone'] };
    expect((await ask('/livez')).status).toBe(200);
    alive = false;
    expect((await ask('/livez')).status).toBe(503);
  });

  it('exposes the metrics', async () => {
    const { status, type, text } = await ask('/metrics');
    expect([status, type]).toEqual([200, expect.stringContaining('text/plain')]);
    expect(text).toContain('lg_build_info');
  });

  it('answers HEAD as GET without a body', async () => {
    expect(await ask('/readyz', 'HEAD')).toMatchObject({ status: 200, text: '' });
    readiness = { ready: false, reasons: [] };
    expect(await ask('/readyz', 'HEAD')).toMatchObject({ status: 503, text: '' });
  });

  it('answers everything else with 404 in JSON', async () => {
    expect(await ask('/')).toMatchObject({ status: 404, type: 'application/json' });
    expect(await ask('/livez', 'POST')).toMatchObject({ status: 404, type: 'application/json' });
  });

  it('logs a failure and shows nothing of it', async () => {
    metrics = { ...metrics, expose: () => Promise.reject(new Error('hush')) };
    expect(await ask('/metrics')).toMatchObject({ status: 500, text: '{"error":"internal error"}' });
    expect(logged).toContain('hush');
  });
});
