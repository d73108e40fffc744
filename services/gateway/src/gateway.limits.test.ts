import { openListen } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { openGuarded } from '../test/guarded-gateway.ts';
import { openGateway } from '../test/test-gateway.ts';

const refusals = (reason: string) => `lg_listens_refused_total{reason="${reason}"}`;

describe('a principal', () => {
  it('is refused over its limit before any stream, while others and its own later listens are not (INS-05, FIELD C34, F13, F19)', async () => {
    const guarded = await openGuarded({}, { sketch: { limits: { streamsPerPrincipal: 10 } } });
    const { gateway } = guarded;
    const [ann, bob] = [await guarded.token({ sub: 'ann' }), await guarded.token({ sub: 'bob' })];
    const asked = await Promise.all(Array.from({ length: 60 }, () => guarded.listen(`Bearer ${ann}`)));
    const opened = asked.filter(({ status }) => status === 200);
    const refused = asked.filter(({ status }) => status === 429);
    expect([opened.length, refused.length]).toEqual([10, 50]);
    expect(await refused[0]?.json()).toMatchObject({ id: 'L1', error: { data: { reason: 'principal-full' } } });
    expect(refused[0]?.headers['retry-after']).toMatch(/^[1-5]$/);
    expect(await gateway.metric(refusals('principal-full'))).toBe(50);
    (await guarded.open(bob)).close();
    await gateway.holds(10);

    for (const stream of opened.slice(0, 5)) stream.close();
    await gateway.holds(5);
    const again = await Promise.all(Array.from({ length: 6 }, () => guarded.listen(`Bearer ${ann}`)));
    expect(again.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429]);
    for (const stream of [...opened, ...again]) stream.close();
    await gateway.holds(0);
  });

  it('is refused when it listens too often, and told for how long (FIELD F19)', async () => {
    const guarded = await openGuarded({}, { sketch: { limits: { opensPerSecondPerPrincipal: 1 } } });
    const [ann, bob] = [await guarded.token({ sub: 'ann' }), await guarded.token({ sub: 'bob' })];
    for (let n = 0; n < 10; n += 1) (await guarded.open(ann)).close();
    const refused = await guarded.listen(`Bearer ${ann}`);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(2);
    expect(await refused.json()).toMatchObject({ error: { data: { reason: 'too-many-opens' } } });
    expect(await guarded.gateway.metric(refusals('too-many-opens'))).toBe(1);
    (await guarded.open(bob)).close();
  });

  it('keeps no place for what never became a stream', async () => {
    const guarded = await openGuarded({}, { sketch: { limits: { streamsPerPrincipal: 1, streamsPerInstance: 1 } } });
    const [ann, bob] = [await guarded.token({ sub: 'ann' }), await guarded.token({ sub: 'bob' })];
    const stream = await guarded.open(ann);
    expect((await guarded.listen(`Bearer ${bob}`)).status).toBe(503);
    stream.close();
    await guarded.gateway.holds(0);
    for (let n = 0; n < 3; n += 1) {
      const empty = await openListen(guarded.gateway.url, { filter: {}, headers: { Authorization: `Bearer ${bob}` } });
      expect(empty.status).toBe(200);
      await empty.ended;
    }
    const { broker } = guarded.gateway;
    broker.hold();
    const unattached = guarded.listen(`Bearer ${bob}`);
    await expect.poll(() => broker.pending.length).toBe(1);
    broker.refuse();
    expect((await unattached).status).toBe(503);
    const opening = guarded.open(bob);
    await expect.poll(() => broker.pending.length).toBe(1);
    broker.confirm();
    (await opening).close();
  });
});

describe('an address of hosts that are not authenticated', () => {
  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

  it('has a limit of its own, by what the trusted proxy says (FIELD C34, F19)', async () => {
    const gateway = await openGateway({ limits: { streamsPerAddress: 2 }, http: { trustedProxies: ['127.0.0.1'] } });
    const streams = [await gateway.open(from('192.0.2.1')), await gateway.open(from('192.0.2.1'))];
    const refused = await openListen(gateway.url, from('192.0.2.1'));
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { data: { reason: 'address-full' } } });
    expect(await gateway.metric(refusals('address-full'))).toBe(1);
    streams.push(await gateway.open(from('192.0.2.2')));
    for (const stream of streams) stream.close();
    await gateway.holds(0);
    (await gateway.open(from('192.0.2.1'))).close();
  });

  it('cannot be made up where no proxy is trusted', async () => {
    const gateway = await openGateway({ limits: { streamsPerAddress: 1 } });
    const stream = await gateway.open(from('192.0.2.1'));
    expect((await openListen(gateway.url, from('192.0.2.2'))).status).toBe(429);
    stream.close();
  });

  it('is refused when it listens too often', async () => {
    const gateway = await openGateway({ limits: { opensPerSecondPerAddress: 1 } });
    for (let n = 0; n < 10; n += 1) (await gateway.open()).close();
    expect((await openListen(gateway.url)).status).toBe(429);
    expect(await gateway.metric(refusals('too-many-opens'))).toBe(1);
  });

  it('has none on loopback unless one is set: every host there has the same', async () => {
    const gateway = await openGateway();
    const streams = await Promise.all(Array.from({ length: 150 }, () => gateway.open()));
    for (const stream of streams) stream.close();
  });
});
