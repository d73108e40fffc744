import type { ServerId } from '@listen-gateway/protocol';
import { type RecordingSink, TestInstance } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';

const filter = { toolsListChanged: true, resourceSubscriptions: ['file:///a', 'file:///b'] };
const tools = { kind: 'tools' } as const;

/** A stream whose host has stopped reading, and owes a change. */
async function stalled(instance: TestInstance): Promise<RecordingSink> {
  const sink = await instance.open({ filter });
  sink.block();
  await instance.publish(tools);
  await instance.publish(tools);
  return sink;
}

describe('the census of an instance', () => {
  it('counts the streams that are blocked, and what they owe, from when they block until they read again or are over', async () => {
    const instance = new TestInstance({ stallMs: 30_000 });
    const census = () => instance.streams.census();
    const [reader, leaver] = [await stalled(instance), await stalled(instance)];
    expect(census()).toEqual({ open: 2, blocked: 2, owed: 2, servers: 1 });
    await instance.open({ filter });
    await instance.publish([tools, { kind: 'resource', uri: 'file:///a' }, { kind: 'resource', uri: 'file:///b' }]);
    expect(census()).toEqual({ open: 3, blocked: 2, owed: 6, servers: 1 });
    leaver.leave();
    expect(census()).toEqual({ open: 2, blocked: 1, owed: 3, servers: 1 });
    reader.drain();
    instance.clock.advance(0);
    expect(census()).toEqual({ open: 2, blocked: 0, owed: 0, servers: 1 });
    reader.block();
    await instance.publish(tools);
    instance.clock.advance(31_000);
    expect(instance.observer.reasons.at(-1)).toBe('slow-host');
    expect(census()).toEqual({ open: 1, blocked: 0, owed: 0, servers: 1 });
  });

  it('counts the servers that it has streams for, each once', async () => {
    const instance = new TestInstance();
    const servers = ['a', 'a', 'b'] as ServerId[];
    const sinks = await Promise.all(servers.map((serverId) => instance.open({ serverId })));
    expect(instance.streams.census().servers).toBe(2);
    for (const sink of sinks.slice(0, 2)) sink.leave();
    expect(instance.streams.census().servers).toBe(1);
  });
});
