import {
  brokerContract,
  freshServerId,
  ManualClock,
  numbered,
  numberedUris,
  RecordingListener,
} from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { MemoryBroker } from './memory-broker.ts';

brokerContract('memory', async () => new MemoryBroker({ clock: new ManualClock(1_000) }), {
  carriesBetweenInstances: false,
});

const serverId = freshServerId();

describe('the memory broker', () => {
  it('delivers before publish resolves', async () => {
    const broker = new MemoryBroker({ clock: new ManualClock() });
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    const published = broker.publish(serverId, [numbered(1)]);
    expect(listener.uris).toEqual(numberedUris(1, 1));
    await published;
  });

  it('keeps the order when a listener publishes', async () => {
    const broker = new MemoryBroker({ clock: new ManualClock() });
    const nested: Promise<unknown>[] = [];
    const last = new RecordingListener();
    await broker.attach(serverId, {
      change(change) {
        if (change.kind === 'tools') nested.push(broker.publish(serverId, [numbered(3)]));
      },
      gap: () => {},
    });
    await broker.attach(serverId, last);
    await broker.publish(serverId, [{ kind: 'tools' }, numbered(2)]);
    await Promise.all(nested);
    expect(last.changes).toEqual([{ kind: 'tools' }, numbered(2), numbered(3)]);
  });

  it('reports a listener that throws', async () => {
    const faults: unknown[] = [];
    const broker = new MemoryBroker({ clock: new ManualClock(), onFault: (cause) => faults.push(cause) });
    const fault = new Error('broken');
    await broker.attach(serverId, {
      change() {
        throw fault;
      },
      gap: () => {},
    });
    await broker.publish(serverId, [numbered(1)]);
    expect(faults).toEqual([fault]);
  });

  it('delivers nothing more once a listener closed it', async () => {
    const broker = new MemoryBroker({ clock: new ManualClock() });
    const closing: Promise<void>[] = [];
    const last = new RecordingListener();
    await broker.attach(serverId, { change: () => closing.push(broker.close()), gap: () => {} });
    await broker.attach(serverId, last);
    await broker.publish(serverId, [numbered(1), numbered(2)]);
    await Promise.all(closing);
    expect(last.heard).toEqual([]);
  });

  it('keeps its journal within length and age', async () => {
    const clock = new ManualClock(1_000);
    const broker = new MemoryBroker({ clock, journal: { length: 3, ageMs: 100 } });
    await broker.publish(serverId, [1, 2, 3, 4].map(numbered));
    expect(broker.journal(serverId)).toEqual([2, 3, 4].map((n) => ({ id: `1000-${n - 1}`, change: numbered(n) })));
    clock.advance(60);
    await broker.publish(serverId, [numbered(5)]);
    clock.advance(60);
    expect(broker.journal(serverId)).toEqual([{ id: '1060-0', change: numbered(5) }]);
    clock.advance(60);
    expect(broker.journal(serverId)).toEqual([]);
  });

  it('forgets an idempotency key after its time, and the oldest above the bound', async () => {
    const clock = new ManualClock();
    const broker = new MemoryBroker({ clock, idempotency: { ttlMs: 100, keys: 2 } });
    const publish = async (key: string) => (await broker.publish(serverId, [], { key, fingerprint: 'f' })).kind;
    expect(await publish('a')).toBe('published');
    clock.advance(50);
    expect(await publish('a')).toBe('replayed');
    clock.advance(50);
    expect(await publish('a')).toBe('published');
    expect(await publish('b')).toBe('published');
    expect(await publish('c')).toBe('published');
    expect(await publish('b')).toBe('replayed');
    expect(await publish('a')).toBe('published');
  });
});
