import { setTimeout as delay } from 'node:timers/promises';
import {
  eventually,
  type ListenAnswer,
  openListen,
  type ServiceProcess,
  startService,
  within,
} from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';

const gateways: ServiceProcess[] = [];

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.kill();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const gateway = await startService('gateway', env);
  gateways.push(gateway);
  return gateway;
}

async function openHundred(gateway: ServiceProcess): Promise<readonly ListenAnswer[]> {
  return Promise.all(Array.from({ length: 100 }, (_, id) => openListen(`${gateway.url}/mcp`, { id })));
}

/** Every stream ended with its acknowledgement, the result under its own id, and the last chunk. */
async function expectResults(streams: readonly ListenAnswer[]): Promise<void> {
  for (const [id, stream] of streams.entries()) {
    expect(await within(10_000, `the end of stream ${id}`, stream.ended)).toBe('complete');
    expect(stream.messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged' },
      { id, result: { resultType: 'complete' } },
    ]);
  }
}

describe('a gateway that is told to stop', () => {
  it('ends 100 streams with the result each and exits with 0, a second signal notwithstanding (P-1.8, SUB-10, FIELD C21, F1)', async () => {
    const gateway = await start();
    const streams = await openHundred(gateway);
    gateway.signal('SIGTERM');
    // The streams end within a second of their own accord, so this comes while the last of them do.
    await delay(500);
    gateway.signal('SIGTERM');

    await expectResults(streams);
    expect(await gateway.ended()).toBe(0);
    const { log } = gateway;
    expect(log.filter(({ msg, reason }) => msg === 'stream closed' && reason === 'drain')).toHaveLength(100);
    expect(log.at(-1)).toMatchObject({ msg: 'shut down' });
    expect(log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });

  it('says that it is not ready, waits for load balancers to notice, and is hastened by a second signal (INS-05, FIELD F1)', async () => {
    const gateway = await start({ LG_DRAIN__DELAY_MS: '600000', LG_DRAIN__WINDOW_MS: '600000' });
    const streams = await openHundred(gateway);
    gateway.signal('SIGTERM');
    await eventually(5_000, '/readyz to be red', async () => (await gateway.readiness()) === 503);
    const readiness = await fetch(`${gateway.adminUrl}/readyz`);
    expect(await readiness.json()).toMatchObject({ ready: false, reasons: ['draining'] });
    expect((await fetch(`${gateway.adminUrl}/livez`)).status).toBe(200);
    expect((await openListen(`${gateway.url}/mcp`)).status).toBe(503);
    expect(await gateway.metric('lg_streams_open')).toBe(100);

    await delay(1_000);
    gateway.signal('SIGTERM');
    await expectResults(streams);
    expect(await gateway.ended()).toBe(0);
  });
});
