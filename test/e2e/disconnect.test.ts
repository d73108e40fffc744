import { eventually, INSTALL_MS, within } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type AuthenticatedFleet,
  type OpenStream,
  openAuthenticatedFleet,
  type ServerName,
} from './authenticated-fleet.ts';

const LISTS = { filter: { toolsListChanged: true } };
const RELEASED_MS = 2_000;

let fleet: AuthenticatedFleet;
const streams: OpenStream[] = [];

beforeAll(async () => {
  fleet = await openAuthenticatedFleet();
}, INSTALL_MS);
afterAll(() => fleet?.close());
afterEach(async () => {
  for (const { answer } of streams.splice(0)) answer.close();
  for (const gateway of fleet.gateways) {
    await eventually(5_000, 'no open stream', async () => (await gateway.metric('lg_streams_open')) === 0);
  }
});

/** Opens a stream on one instance. */
async function open(instance: number, claims: object, server: ServerName = 'acme'): Promise<OpenStream> {
  const stream = await fleet.open({ ...LISTS, server, instance, claims: { ...claims } });
  streams.push(stream);
  return stream;
}

/** Opens the same on every instance. */
const openEverywhere = (claims: object, server?: ServerName) =>
  Promise.all([0, 1, 2].map((instance) => open(instance, claims, server)));

/** Waits until these streams have ended, by a drop and not by the result. */
async function expectDropped(ended: readonly OpenStream[]): Promise<void> {
  for (const { answer } of ended) {
    expect(await within(RELEASED_MS, 'the end of the stream', answer.ended)).toBe('cut');
    expect(answer.messages.filter(({ result }) => result !== undefined)).toEqual([]);
  }
}

/** Shows that these streams are alive: the next thing that each has is a change. */
async function expectAlive(alive: readonly OpenStream[], server: ServerName = 'acme'): Promise<void> {
  await fleet.publish(server, [{ method: 'notifications/tools/list_changed' }]);
  for (const { answer } of alive) {
    expect((await answer.next('a change')).method).toBe('notifications/tools/list_changed');
  }
}

describe('a disconnect', () => {
  it('ends the streams of its principal on every instance and server, and nobody else’s', async () => {
    const ann = [...(await openEverywhere({ sub: 'ann' })), ...(await openEverywhere({ sub: 'ann' }, 'umbrella'))];
    const bob = await openEverywhere({ sub: 'bob' });

    const { status, receipts } = await fleet.disconnect('ann');

    expect(status).toBe(202);
    expect(receipts.map(({ server, instances }) => [server, instances])).toEqual([
      ['acme', 3],
      ['umbrella', 3],
    ]);
    await expectDropped(ann);
    await expectAlive(bob);
    expect(await fleet.gateways[0]?.metric('lg_streams_closed_total{reason="revoked"}')).toBe(2);
  });

  it('of one server leaves the same name on the other alone', async () => {
    const [acme, umbrella] = [await openEverywhere({ sub: 'ann' }), await openEverywhere({ sub: 'ann' }, 'umbrella')];
    expect((await fleet.disconnect('ann', { servers: ['acme'] })).receipts).toHaveLength(1);
    await expectDropped(acme);
    await expectAlive(umbrella, 'umbrella');
  });

  it.each([{ sid: 's1' }, { jti: 'j1' }])('of %j ends the streams of that session or token alone', async (named) => {
    const [meant, others] = [
      await openEverywhere({ sub: 'ann', sid: 's1', jti: 'j1' }),
      await openEverywhere({ sub: 'ann', sid: 's2', jti: 'j2' }),
    ];
    const foreign = await openEverywhere({ sub: 'bob', sid: 's1', jti: 'j1' });
    await fleet.disconnect('ann', named);
    await expectDropped(meant);
    await expectAlive([...others, ...foreign]);
  });

  it('takes subjects as they are, slashes and all', async () => {
    const subject = 'https://id.example/users/ann b?x=%2F#é';
    const ann = await openEverywhere({ sub: subject });
    await fleet.disconnect(subject);
    await expectDropped(ann);
  });

  it('takes effect on an instance that was cut off from Redis once it is back (FIELD E1)', async () => {
    const [cutOff, ...whole] = await openEverywhere({ sub: 'ann' });
    const bob = await open(0, { sub: 'bob' });
    fleet.relays[0]?.cut();

    expect((await fleet.disconnect('ann')).receipts[0]?.instances).toBe(2);

    await expectDropped(whole);
    expect(await Promise.race([cutOff?.answer.ended, Promise.resolve('open')])).toBe('open');
    fleet.relays[0]?.restore();
    expect(await within(10_000, 'the end of the stream', cutOff!.answer.ended)).toBe('cut');
    await expectAlive([bob]);
  });

  it('lost with the journal ends at the gap what no expiry would end within the hour', async () => {
    const inHours = (hours: number) => Math.floor(Date.now() / 1_000) + hours * 3_600 - 60;
    const long = await open(0, { sub: 'ann', exp: inHours(24) });
    const short = await open(0, { sub: 'ann', exp: inHours(1) });
    fleet.relays[0]?.cut();
    await fleet.disconnect('ann');
    await fleet.redis.cli('FLUSHALL');
    fleet.relays[0]?.restore();

    expect(await within(10_000, 'the end of the stream', long.answer.ended)).toBe('cut');
    expect(await fleet.gateways[0]?.metric('lg_streams_closed_total{reason="gap"}')).toBe(1);
    // Told of everything, as at any gap, and bounded by its expiry.
    expect((await short.answer.next('the change of the gap')).method).toBe('notifications/tools/list_changed');
  });
});
