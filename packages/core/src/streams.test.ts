import type { Change, Filter, ServerId } from '@listen-gateway/protocol';
import {
  ALL_CAPABILITIES,
  ManualClock,
  type RecordingSink,
  TEST_SERVER,
  TEST_SERVER_INFO,
  TestInstance,
  within,
} from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { MemoryBroker } from './memory-broker.ts';

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

const tools: Change = { kind: 'tools' };
const uri = (uri: string): Change => ({ kind: 'resource', uri });
const task: Change = { kind: 'task', task: { taskId: 't', status: 'completed', result: { content: [] }, ttlMs: null } };
const everyKind: readonly Change[] = [tools, { kind: 'prompts' }, { kind: 'resources' }, uri('file:///a'), task];

/** What a host was sent, a line for each message. */
const heardBy = (sink: RecordingSink): readonly unknown[] =>
  sink.messages.map(({ method, params, result }) =>
    result === undefined ? (params?.uri ?? params?.taskId ?? method) : 'result',
  );

describe('a stream', () => {
  it('opens with the acknowledgement of what is honored; the answer itself comes at its end (SUB-01, SUB-03, P-1.3)', async () => {
    const instance = new TestInstance();
    const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: false, taskIds: ['t'] };
    const sink = await instance.open({ id: 7, filter, capabilities: { ...ALL_CAPABILITIES, prompts: false } });
    expect(sink.messages).toStrictEqual([
      {
        jsonrpc: '2.0',
        method: ACKNOWLEDGED,
        params: { _meta: { [SUBSCRIPTION_ID]: 7 }, notifications: { toolsListChanged: true, taskIds: ['t'] } },
      },
    ]);
    expect(sink.closing).toBe('no');
    for (const stream of instance.streams.open) stream.end('drain');
    expect(sink.messages.at(-1)).toStrictEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {
        resultType: 'complete',
        _meta: { [SUBSCRIPTION_ID]: 7, 'io.modelcontextprotocol/serverInfo': TEST_SERVER_INFO },
      },
    });
    expect(sink.closing).toBe('end');
  });

  it.each<[Filter, string]>([
    [{ toolsListChanged: true }, 'notifications/tools/list_changed'],
    [{ promptsListChanged: true }, 'notifications/prompts/list_changed'],
    [{ resourcesListChanged: true }, 'notifications/resources/list_changed'],
    [{ resourceSubscriptions: ['file:///a', 'file:///ab'] }, 'file:///a'],
    [{ taskIds: ['t', 'u'] }, 't'],
  ])('that asked for %j hears of that and of nothing else (P-1.5, SUB-02, SUB-06)', async (filter, heard) => {
    const instance = new TestInstance();
    const sink = await instance.open({ filter });
    await instance.publish([...everyKind, uri('file:///other'), { ...task, task: { taskId: 'x', status: 'working' } }]);
    expect(heardBy(sink)).toEqual([ACKNOWLEDGED, heard]);
  });

  it('hears only what was honored, whatever it requested (INS-06)', async () => {
    const instance = new TestInstance();
    const filter = { toolsListChanged: true, resourceSubscriptions: ['file:///a'], taskIds: ['t'] };
    const resources = { listChanged: true, subscribe: false, subResources: true };
    const sink = await instance.open({ filter, capabilities: { ...ALL_CAPABILITIES, resources, tasks: false } });
    await instance.publish(everyKind);
    expect(heardBy(sink)).toEqual([ACKNOWLEDGED, 'notifications/tools/list_changed']);
  });

  it('hears of a task in full, as it was published (P-4.3)', async () => {
    const instance = new TestInstance();
    const sink = await instance.open({ filter: { taskIds: ['t'] } });
    await instance.publish(task);
    expect(sink.messages.at(-1)?.params).toStrictEqual({
      _meta: { [SUBSCRIPTION_ID]: 'listen:0' },
      ...(task.kind === 'task' && task.task),
    });
  });

  it('tags every message with its id, type and value kept (P-1.4, SUB-05, FIELD A4)', async () => {
    for (const id of [0, '', 1, '1', 'listen:0']) {
      const instance = new TestInstance();
      const sink = await instance.open({ id, filter: { toolsListChanged: true, taskIds: ['t'] } });
      await instance.publish(everyKind);
      for (const stream of instance.streams.open) stream.end('drain');
      const tags = sink.messages.map(({ params, result }) => (params ?? result)?._meta?.[SUBSCRIPTION_ID]);
      expect(tags).toStrictEqual([id, id, id, id]);
    }
  });

  it.each([
    { acts: ['confirm'] },
    { acts: ['publish', 'confirm'] },
    { acts: ['confirm', 'publish'] },
    { acts: ['publish', 'confirm', 'publish', 'publish'] },
  ])(
    'hears the acknowledgement first, and all that was published by then after it: $acts (SUB-04, P-1.3, FIELD C1)',
    async ({ acts }) => {
      const instance = new TestInstance();
      instance.broker.hold();
      const { sink, outcome } = instance.ask({ filter: { resourceSubscriptions: ['0', '1', '2', '3'] } });
      const published: string[] = [];
      for (const [index, act] of acts.entries()) {
        expect(sink?.chunks ?? []).toEqual([]);
        if (act === 'confirm') instance.broker.confirm();
        else {
          published.push(`${index}`);
          // Delivered within the call, so that nothing else has its turn before the next act.
          void instance.broker.publish(TEST_SERVER, [uri(`${index}`)]);
          instance.clock.advance(0);
        }
      }
      expect(await within(1_000, 'the outcome', outcome)).toBe('opened');
      instance.clock.advance(0);
      expect(heardBy(sink as RecordingSink)).toEqual([ACKNOWLEDGED, ...published]);
    },
  );

  it('hears of a burst once, and of the last change for certain (FIELD C32)', async () => {
    const instance = new TestInstance();
    const sink = await instance.open({ filter: { toolsListChanged: true, resourceSubscriptions: ['a', 'b'] } });
    for (let n = 0; n < 1_000; n += 1) await instance.broker.publish(TEST_SERVER, [tools, uri('b'), uri('a')]);
    instance.clock.advance(0);
    expect(sink.chunks).toHaveLength(2);
    expect(heardBy(sink)).toEqual([ACKNOWLEDGED, 'notifications/tools/list_changed', 'b', 'a']);
    await instance.publish(tools);
    expect(heardBy(sink)).toHaveLength(5);
    expect(instance.observer.marks).toHaveLength(3_001);
  });

  it('hears of what lies beneath its URIs only where its server announces sub-resources (P-1.11)', async () => {
    const instance = new TestInstance();
    const filter = { resourceSubscriptions: ['file:///a'] };
    const resources = { listChanged: true, subscribe: true, subResources: true };
    const exact = await instance.open({ filter });
    const beneath = await instance.open({ filter, capabilities: { ...ALL_CAPABILITIES, resources } });
    await instance.publish([uri('file:///a/b'), uri('file:///ab')]);
    expect(heardBy(exact)).toEqual([ACKNOWLEDGED]);
    expect(heardBy(beneath)).toEqual([ACKNOWLEDGED, 'file:///a/b']);
  });
});

describe('streams', () => {
  it('times the changes that it writes, and neither those that nobody asked for nor gaps nor disconnects', async () => {
    const instance = new TestInstance();
    await instance.open({ filter: { toolsListChanged: true, resourceSubscriptions: ['file:///a'] }, subject: 'ann' });
    await instance.publish([tools, { kind: 'prompts' }, uri('file:///a')]);
    await instance.publish({ kind: 'disconnect', subject: 'bob' });
    instance.broker.gap(TEST_SERVER);
    instance.clock.advance(0);
    expect(instance.observer.agesMs).toEqual([0, 0]);
  });

  it('of one host are independent, ids 1 and "1" included (P-1.6, SUB-08, FIELD A4)', async () => {
    const instance = new TestInstance();
    const subject = 'ann';
    const first = await instance.open({ id: 1, subject, filter: { toolsListChanged: true } });
    const second = await instance.open({ id: '1', subject, filter: { resourceSubscriptions: ['file:///a'] } });
    const third = await instance.open({ id: 1, subject, filter: { toolsListChanged: true } });
    await instance.publish([tools, uri('file:///a')]);
    first.leave();
    await instance.publish([tools, uri('file:///a')]);
    expect([first, second, third].map((sink) => heardBy(sink).length)).toEqual([2, 3, 3]);
    expect(second.messages[1]?.params?._meta).toStrictEqual({ [SUBSCRIPTION_ID]: '1' });
    expect(third.messages[1]?.params?._meta).toStrictEqual({ [SUBSCRIPTION_ID]: 1 });
  });

  it.each([1, 2])(
    'of two hosts with the same id, on %i instances, hear each their own; one may leave (P-1.6, FIELD A6)',
    async (instances) => {
      const clock = new ManualClock();
      const broker = new MemoryBroker({ clock });
      const first = new TestInstance({ broker, clock });
      const second = instances === 1 ? first : new TestInstance({ broker, clock });
      const ann = await first.open({ id: 1, subject: 'ann', filter: { resourceSubscriptions: ['ann:a'] } });
      const bob = await second.open({ id: 1, subject: 'bob', filter: { resourceSubscriptions: ['bob:b'] } });
      const both = { resourceSubscriptions: ['x'] };
      const [ann2, bob2] = [
        await first.open({ id: 2, subject: 'ann', filter: both }),
        await second.open({ id: 2, subject: 'bob', filter: both }),
      ];
      await first.publish([uri('ann:a'), uri('bob:b'), { ...uri('x'), audience: { subjects: ['bob'] } }]);
      expect([ann, bob, ann2, bob2].map((sink) => heardBy(sink).slice(1))).toEqual([['ann:a'], ['bob:b'], [], ['x']]);
      ann.leave();
      await second.publish([uri('ann:a'), uri('bob:b')]);
      expect(heardBy(ann)).toHaveLength(2);
      expect(heardBy(bob)).toEqual([ACKNOWLEDGED, 'bob:b', 'bob:b']);
    },
  );

  it('bring their instance the changes of their servers, and of no others (INS-01)', async () => {
    const clock = new ManualClock();
    const broker = new MemoryBroker({ clock });
    const [first, second] = [new TestInstance({ broker, clock }), new TestInstance({ broker, clock })];
    const other = 'other' as ServerId;
    const hosts = [await first.open(), await second.open(), await second.open({ serverId: other })];
    await second.publish(tools);
    expect(hosts.map((sink) => heardBy(sink).length)).toEqual([2, 2, 1]);
    expect([TEST_SERVER, other].map((server) => first.broker.attached(server))).toEqual([1, 0]);
    expect([TEST_SERVER, other].map((server) => second.broker.attached(server))).toEqual([1, 1]);
    await first.publish(tools, other);
    expect(first.observer.marks).toHaveLength(1);
    expect(heardBy(hosts[2] as RecordingSink)).toHaveLength(2);
  });
});
