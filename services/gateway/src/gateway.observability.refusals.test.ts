import { LISTEN_HEADERS, openListen, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { openGateway, type TestGateway } from '../test/test-gateway.ts';

const ofStatus = (status: number) => `lg_requests_refused_total{status="${status}"}`;
const ofReason = (reason: string) => `lg_listens_refused_total{reason="${reason}"}`;
const without = (left: string) =>
  [['Host', 'localhost'], ...Object.entries(LISTEN_HEADERS)].filter(([name]) => name !== left) as [string, string][];

/** Sends the bytes, and resolves once the answer has this status. */
async function refused(gateway: TestGateway, bytes: string, status: number): Promise<void> {
  const host = (await RawHost.connect(gateway.url)).send(bytes);
  await host.until(new RegExp(`^HTTP/1\\.1 ${status} `), `the answer ${status}`);
  host.socket.destroy();
}

describe('what an operator sees of refusals', () => {
  it.each([
    ['no HTTP', 400, 'hello\r\n\r\n'],
    ['two framings', 400, rawPost({ extra: [['Transfer-Encoding', 'chunked']] })],
    ['no Host', 400, rawPost({ headers: without('Host') })],
    ['no JSON', 400, rawPost({ body: '{' })],
    ['a foreign Origin', 403, rawPost({ extra: [['Origin', 'http://evil.example']] })],
    ['no such path', 404, rawPost({ path: '/elsewhere' })],
    ['another method', 405, rawPost().replace('POST', 'PUT')],
    ['an answer that cannot be given', 406, rawPost({ headers: [...without('Accept'), ['Accept', 'text/html']] })],
    ['a large body', 413, rawPost({ body: ' '.repeat(2_000) })],
    ['a body in code', 415, rawPost({ extra: [['Content-Encoding', 'gzip']] })],
    ['something to expect', 417, rawPost({ extra: [['Expect', 'miracles']] })],
    ['a large head', 431, rawPost({ extra: [['X-A', 'a'.repeat(3_000)]] })],
  ])(
    'is each of them once, by status, also where Node refuses before anything else: %s',
    async (_what, status, bytes) => {
      const gateway = await openGateway({ listen: { port: 0, headerBytes: 2_048 }, limits: { bodyBytes: 1_000 } });
      expect(await gateway.metric(ofStatus(status)), 'there before the first').toBe(0);
      await refused(gateway, bytes, status);
      expect(await gateway.metric(ofStatus(status))).toBe(1);
      await refused(gateway, bytes, status);
      expect(await gateway.metric(ofStatus(status))).toBe(2);
      expect(await gateway.metric('lg_streams_opened_total')).toBe(0);
    },
  );

  it('is no refusal in a stream whose host sends rubbish behind its request, and nothing but its end', async () => {
    const gateway = await openGateway();
    const host = (await RawHost.connect(gateway.url)).send(rawPost());
    await host.until(/acknowledged/, 'the acknowledgement');
    host.send('hello\r\n\r\n');
    await host.over();
    await gateway.holds(0);
    expect(host.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(await gateway.metric(ofStatus(400))).toBe(0);
    expect(gateway.closeReasons).toEqual(['host-gone']);
  });

  it('is why capacity was refused, apart from what has opened, for each reason (FIELD F19)', async () => {
    const gateway = await openGateway({ limits: { streamsPerInstance: 2, streamsPerAddress: 1 } });
    const stream = await gateway.open();
    for (let time = 0; time < 2; time += 1) expect((await openListen(gateway.url)).status).toBe(429);
    const drain = gateway.gateway.drain();
    expect((await openListen(gateway.url)).status).toBe(503);
    drain.hasten();
    await within(5_000, 'the drain', drain.done);
    stream.close();

    const counted = { 'address-full': 2, draining: 1, 'instance-full': 0, 'principal-full': 0 };
    for (const [reason, count] of Object.entries(counted)) {
      expect([reason, await gateway.metric(ofReason(reason))]).toEqual([reason, count]);
    }
    expect([await gateway.metric(ofStatus(429)), await gateway.metric(ofStatus(503))]).toEqual([2, 1]);
    expect(await gateway.metric('lg_streams_opened_total')).toBe(1);
  });
});
