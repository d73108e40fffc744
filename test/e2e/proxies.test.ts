import { setTimeout as delay } from 'node:timers/promises';
import {
  eventually,
  INSTALL_MS,
  type ListenAnswer,
  type NginxProcess,
  openListen,
  openNginx,
  parseFrames,
  type ServiceProcess,
  startService,
  within,
} from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BackedInstance, openBackedInstance } from './backed-instance.ts';

const TOOLS = { method: 'notifications/tools/list_changed' };
/** Below the 60 s that proxies have unless told otherwise, so that a test can outlast it; the keepalive is below it in turn. */
const READ_TIMEOUT_S = 2;
const KEEPALIVE_MS = '500';

let instance: BackedInstance;
const closes: (() => Promise<void>)[] = [];

beforeAll(async () => {
  instance = await openBackedInstance({ LG_STREAM__KEEPALIVE_MS: KEEPALIVE_MS, LG_DRAIN__WINDOW_MS: '200' });
}, INSTALL_MS);
afterAll(() => instance.close());
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

/** nginx as it proxies unless told otherwise: HTTP/1.0 to the instance, answers buffered; `lines` are added. */
async function openProxy(gateway: ServiceProcess, ...lines: readonly string[]): Promise<NginxProcess> {
  const nginx = await openNginx(
    (port) => `
    server {
      listen 127.0.0.1:${port};
      location / {
        proxy_pass http://127.0.0.1:${gateway.port};
        proxy_http_version 1.0;
        proxy_buffering on;
        ${lines.join('\n')}
      }
    }`,
  );
  closes.push(() => nginx.close());
  return nginx;
}

/** Opens a stream through the proxy; the acknowledgement has not been waited for. */
async function listen(nginx: NginxProcess): Promise<ListenAnswer> {
  const stream = await openListen(`${nginx.url}/mcp`);
  closes.push(async () => stream.close());
  return stream;
}

describe('a stream behind a proxy that buffers', () => {
  it('brings its acknowledgement and each change at once, for it asks not to be buffered (P-2.10, INS-02, FIELD C7, C10)', async () => {
    const stream = await listen(await openProxy(instance.gateway));
    expect((await stream.next('the acknowledgement')).method).toBe('notifications/subscriptions/acknowledged');
    for (let change = 0; change < 3; change += 1) {
      await instance.publish(TOOLS);
      expect((await stream.next(`change ${change + 1}`)).method).toBe(TOOLS.method);
    }
    expect(parseFrames(stream.text).length).toBeGreaterThanOrEqual(4);
  });

  it('would be held back by the same proxy if it did not ask (FIELD C10)', async () => {
    const nginx = await openProxy(instance.gateway, 'proxy_ignore_headers X-Accel-Buffering;');
    const answered = listen(nginx).then(
      () => 'an answer',
      () => 'a broken connection',
    );
    await eventually(5_000, 'the stream', async () => (await instance.gateway.metric('lg_streams_open')) === 1);
    await instance.publish(TOOLS);
    expect(await Promise.race([answered, delay(500, 'nothing')]), 'not even the head').toBe('nothing');
    await nginx.close();
    expect(await answered).toBe('a broken connection');
  });

  it('ends with the result, although the proxy speaks HTTP/1.0 (P-1.8, FIELD C10)', async () => {
    const leaving = await startService('gateway', { LG_DRAIN__WINDOW_MS: '0' });
    closes.push(() => leaving.kill());
    const stream = await listen(await openProxy(leaving));
    await stream.next('the acknowledgement');
    leaving.signal('SIGTERM');
    expect(await within(10_000, 'the end', stream.ended)).toBe('complete');
    expect(stream.messages.at(-1)).toMatchObject({ id: 'L1', result: { resultType: 'complete' } });
    expect(await leaving.ended()).toBe(0);
  });

  it('is released when its host leaves the proxy, by FIN or by RST (P-1.7, SUB-09)', async () => {
    const nginx = await openProxy(instance.gateway);
    for (const leave of ['close', 'reset'] as const) {
      const streams = await Promise.all(Array.from({ length: 20 }, () => listen(nginx)));
      await eventually(5_000, '20 streams', async () => (await instance.gateway.metric('lg_streams_open')) === 20);
      for (const stream of streams) stream[leave]();
      await eventually(5_000, 'no stream', async () => (await instance.gateway.metric('lg_streams_open')) === 0);
    }
  });
});

describe('an idle stream behind a proxy that cuts quiet ones', () => {
  it('outlives the time-out of the proxy by its keepalives (INS-02, FIELD C11)', async () => {
    const stream = await listen(await openProxy(instance.gateway, `proxy_read_timeout ${READ_TIMEOUT_S}s;`));
    await stream.next('the acknowledgement');
    await delay(2.5 * READ_TIMEOUT_S * 1_000);
    await instance.publish(TOOLS);
    expect((await stream.next('a change after the time-out')).method).toBe(TOOLS.method);
    expect(stream.messages).toHaveLength(2);
    expect(stream.comments).toBeGreaterThan(2);
  });

  it('would be cut without them (INS-02, FIELD C11)', async () => {
    const quiet = await startService('gateway', { LG_STREAM__KEEPALIVE_MS: '600000' });
    closes.push(() => quiet.kill());
    const stream = await listen(await openProxy(quiet, `proxy_read_timeout ${READ_TIMEOUT_S}s;`));
    await stream.next('the acknowledgement');
    await within(20_000, 'the proxy to cut the stream', stream.ended);
    expect(stream.messages, 'no result').toHaveLength(1);
    await eventually(5_000, 'the instance to release it', async () => (await quiet.metric('lg_streams_open')) === 0);
  });
});
