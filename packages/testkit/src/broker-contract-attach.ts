import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import type { Broker } from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import { expect, it } from 'vitest';
import type { BrokerTraits, OpenBroker } from './broker-contract.ts';
import { RecordingListener } from './recording-listener.ts';
import { freshServerId, numbered, numberedUris } from './sample-changes.ts';
import { within } from './within.ts';

const ARRIVAL_MS = 5_000;

/** Who hears what, and from when to when. */
export function attachContract(open: OpenBroker, traits: BrokerTraits): void {
  it('loses nothing that is published after an attach resolved, however busy the channel is', async () => {
    const publisher = await open();
    const serverId = freshServerId();
    const hammer = startHammer(publisher, serverId);
    const attached: { listener: RecordingListener; from: number }[] = [];
    for (let round = 0; round < 10; round += 1) {
      const broker = traits.carriesBetweenInstances ? await open() : publisher;
      const listener = new RecordingListener();
      await broker.attach(serverId, listener);
      attached.push({ listener, from: hammer.next });
      await breathe();
    }
    const last = await hammer.stop();
    for (const { listener, from } of attached) {
      await listener.until(ARRIVAL_MS, `change ${last}`, ({ uris }) => uris.at(-1) === numbered(last).uri);
      const heardFrom = Number(listener.uris[0]?.slice(numbered(0).uri.length - 1));
      expect(heardFrom).toBeLessThanOrEqual(from);
      expect(listener.heard).toEqual(listener.changes);
      expect(listener.uris).toEqual(numberedUris(heardFrom, last));
    }
  });

  it('stops delivery to a listener the moment it detaches, also from within its change', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const staying = new RecordingListener();
    const leaving = new RecordingListener();
    const once = new RecordingListener();
    const detach = await broker.attach(serverId, leaving);
    const detachOnce = await broker.attach(serverId, {
      change(change, ageMs) {
        once.change(change, ageMs);
        detachOnce();
      },
      gap: () => {},
    });
    await broker.attach(serverId, staying);
    const published = broker.publish(serverId, [numbered(1), numbered(2)]);
    detach();
    detach();
    await published;
    await staying.until(ARRIVAL_MS, 'both changes', ({ uris }) => uris.length === 2);
    expect(once.uris).toEqual(numberedUris(1, 1));
    // A broker that delivers inside publish had delivered before the detach; nothing may follow it.
    const heardBefore = leaving.uris.length;
    await broker.publish(serverId, [numbered(3)]);
    await staying.until(ARRIVAL_MS, 'the third change', ({ uris }) => uris.length === 3);
    expect(leaving.uris.length).toBe(heardBefore);
  });

  it('keeps a newcomer attached, whenever the last leaver left', async () => {
    const broker = await open();
    const serverId = freshServerId();
    for (let round = 1; round <= 40; round += 1) {
      const listener = new RecordingListener();
      const detach = await broker.attach(serverId, listener);
      await broker.publish(serverId, [numbered(round)]);
      await listener.until(ARRIVAL_MS, `change ${round}`, ({ uris }) => uris.includes(numbered(round).uri));
      detach();
      // Around the linger of a broker opened for this suite, so that some rounds meet the leaving half done.
      await pause(round % 8);
    }
  });

  it('hears of its own server and of no other', async () => {
    const broker = await open();
    const [one, other] = [freshServerId(), freshServerId()];
    const listener = new RecordingListener();
    await broker.attach(one, listener);
    await broker.publish(other, [numbered(1)]);
    await broker.publish(one, [numbered(2)]);
    await listener.until(ARRIVAL_MS, 'its own change', ({ heard }) => heard.length > 0);
    expect(listener.uris).toEqual(numberedUris(2, 2));
  });

  it('says how long ago the broker took each change', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    const askedAt = performance.now();
    await broker.publish(serverId, [numbered(1), numbered(2)]);
    await listener.until(ARRIVAL_MS, 'both changes', ({ uris }) => uris.length === 2);
    // A broker's clock may be one of whole milliseconds.
    const tookMs = performance.now() - askedAt + 2;
    for (const ageMs of listener.agesMs) {
      expect(ageMs).toBeGreaterThanOrEqual(0);
      expect(ageMs).toBeLessThanOrEqual(tookMs);
    }
  });

  it('tells every listener of a server, also when one of them throws', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const first = new RecordingListener();
    const last = new RecordingListener();
    await broker.attach(serverId, first);
    await broker.attach(serverId, {
      change() {
        throw new Error('a listener that breaks its promise');
      },
      gap: () => {},
    });
    await broker.attach(serverId, last);
    await broker.publish(serverId, [numbered(1), numbered(2)]);
    for (const listener of [first, last]) {
      await listener.until(ARRIVAL_MS, 'both changes', ({ uris }) => uris.length === 2);
      expect(listener.uris).toEqual(numberedUris(1, 2));
    }
  });

  it('rejects attaches and publishes after close, and closes twice', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    const detach = await broker.attach(serverId, listener);
    expect(broker.status()).toEqual({ ready: true });
    await within(ARRIVAL_MS, 'the close', broker.close());
    await within(ARRIVAL_MS, 'the second close', broker.close());
    detach();
    expect(broker.status().ready).toBe(false);
    await expect(broker.attach(serverId, listener)).rejects.toMatchObject({ code: 'BROKER_CLOSED' });
    await expect(broker.publish(serverId, [numbered(1)])).rejects.toMatchObject({ code: 'BROKER_CLOSED' });
    expect(listener.heard).toEqual([]);
  });
}

/** Publishes numbered changes one after the other until stopped, and then one more. */
function startHammer(broker: Broker, serverId: ServerId) {
  const hammer = { next: 1, stop };
  let stopped = false;
  const hammering = (async () => {
    while (!stopped) {
      const n = hammer.next;
      hammer.next += 1;
      await broker.publish(serverId, [numbered(n)]);
      await breathe();
    }
  })();
  /** Resolves with the number of the last change. */
  async function stop(): Promise<number> {
    stopped = true;
    await hammering;
    await broker.publish(serverId, [numbered(hammer.next)]);
    return hammer.next;
  }
  return hammer;
}
