import type { Change, ServerId, Task } from '@listen-gateway/protocol';
import { type ListenAnswer, parseFrames, TEST_SERVER } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { openGateway, type TestGateway } from '../test/test-gateway.ts';

/** Every filter of these tests names it, so that its arrival shows that nothing more is under way. */
const BARRIER = 'test://barrier';
const resource = (uri: string): Change => ({ kind: 'resource', uri });
const task = (taskId: string, status: Task['status'], more: object = {}): Change => ({
  kind: 'task',
  task: {
    taskId,
    status,
    createdAt: '2026-11-30T00:00:00Z',
    lastUpdatedAt: '2026-11-30T00:00:01Z',
    ttlMs: null,
    ...more,
  },
});

/** What a stream brings after its acknowledgement, up to the barrier. */
async function upToBarrier(
  gateway: TestGateway,
  ...streams: readonly ListenAnswer[]
): Promise<readonly (readonly string[])[]> {
  await gateway.publish(resource(BARRIER));
  return Promise.all(
    streams.map(async (stream) => {
      const heard: string[] = [];
      for (;;) {
        const { method = '', params } = await stream.next('the barrier');
        if (params?.uri === BARRIER) return heard;
        heard.push(typeof params?.uri === 'string' ? params.uri : method);
      }
    }),
  );
}

describe('a stream', () => {
  it('brings what its acknowledgement named, and nothing else (P-1.2, P-1.5, SUB-02, SUB-06, INS-06)', async () => {
    const gateway = await openGateway({ servers: { default: { capabilities: { prompts: false } } } });
    const every: Change[] = [
      { kind: 'tools' },
      { kind: 'prompts' },
      { kind: 'resources' },
      resource('file:///a'),
      resource('file:///b'),
      task('t1', 'working'),
      task('t2', 'working'),
    ];
    const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const all = await gateway.open({
      filter: { ...lists, resourceSubscriptions: ['file:///a', BARRIER], taskIds: ['t1'] },
    });
    const one = await gateway.open({ filter: { resourceSubscriptions: ['file:///b', BARRIER] } });
    const none = await gateway.open({ filter: { toolsListChanged: false, resourceSubscriptions: [BARRIER] } });

    for (const change of every) {
      await gateway.publish(change);
      await new Promise(setImmediate);
    }
    expect(await upToBarrier(gateway, all, one, none)).toEqual([
      ['notifications/tools/list_changed', 'notifications/resources/list_changed', 'file:///a', 'notifications/tasks'],
      ['file:///b'],
      [],
    ]);
  });

  it('lives on after the request’s body is read, and is released when its host leaves (P-1.7, SUB-09, FIELD C15)', async () => {
    const gateway = await openGateway();
    const stream = await gateway.open();
    // The garbage of the request is collected, its events have all been handed out: a second is long for that.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await gateway.publish({ kind: 'tools' });
    await stream.next('the change');
    expect(gateway.broker.attached(TEST_SERVER)).toBe(1);

    stream.close();
    await gateway.holds(0);
    expect(gateway.broker.attached(TEST_SERVER)).toBe(0);
    expect(gateway.closeReasons).toEqual(['host-gone']);
  });

  it('brings URIs of any characters as ASCII, cut nowhere (FIELD C4)', async () => {
    const gateway = await openGateway();
    const uris = [
      'file:///\u2028\u2029\u0085',
      'file:///😀/é',
      'file:///\ud800lone',
      'file:///"\\\n\r\t\u0000\u007f',
      '\ufeff',
    ];
    const stream = await gateway.open({ filter: { resourceSubscriptions: uris } });
    expect(stream.messages[0]?.params?.notifications).toEqual({ resourceSubscriptions: uris });

    for (const uri of uris) {
      await gateway.publish(resource(uri));
      expect((await stream.next(`a change of ${JSON.stringify(uri)}`)).params?.uri).toBe(uri);
    }
    expect(parseFrames(stream.text), 'strict reading throws at any other byte').toHaveLength(uris.length + 1);
  });

  it('matches URIs byte for byte and says them as they were subscribed (FIELD C28)', async () => {
    const gateway = await openGateway();
    const subscribed = ['HTTP://Example.com', 'http://example.com/%7Ea', 'file:///A%20b', 'e\u0301'];
    const variants = [
      'http://example.com',
      'HTTP://Example.com/',
      'http://example.com/~a',
      'http://example.com/%7ea',
      'file:///A b',
      'file:///a%20b',
      '\u00e9',
    ];
    const stream = await gateway.open({ filter: { resourceSubscriptions: [...subscribed, BARRIER] } });

    await gateway.publish([...variants, ...subscribed].map(resource));
    expect(await upToBarrier(gateway, stream)).toEqual([subscribed]);
  });

  it('takes an empty or odd URI for itself alone, never for all (FIELD C31)', async () => {
    const gateway = await openGateway();
    const odd = ['', 'not a uri', ' ', 'x'.repeat(8_192), '*', '/', '#'];
    const stream = await gateway.open({ filter: { resourceSubscriptions: [...odd, BARRIER] } });
    expect(stream.messages[0]?.params?.notifications).toEqual({ resourceSubscriptions: [...odd, BARRIER] });

    await gateway.publish([resource('file:///a'), { kind: 'tools' }, ...odd.map(resource)]);
    expect(await upToBarrier(gateway, stream)).toEqual([odd]);
  });

  it('hears of what is beneath its URI only where the server says so, on segment boundaries (P-1.11)', async () => {
    const gateway = await openGateway({
      servers: { deep: { capabilities: { resources: { subResources: true } } }, default: {} },
    });
    const filter = { resourceSubscriptions: ['file:///a', BARRIER] };
    const exact = await gateway.open({ filter });
    const deep = await gateway.open({ filter }, `${gateway.url}/deep`);
    const changes = ['file:///a/b', 'file:///ab', 'file:///a'].map(resource);
    await gateway.publish([...changes, resource(BARRIER)], 'deep' as ServerId);
    await gateway.publish(changes);

    expect(await upToBarrier(gateway, exact)).toEqual([['file:///a']]);
    expect((await deep.received(4)).slice(1).map(({ params }) => params?.uri)).toEqual([
      'file:///a/b',
      'file:///a',
      BARRIER,
    ]);
  });
});

describe('a burst of changes', () => {
  it('of one list may be told once, but once after its last at least (P-5, FIELD C32)', async () => {
    const gateway = await openGateway();
    const stream = await gateway.open({ filter: { toolsListChanged: true, resourceSubscriptions: [BARRIER] } });
    for (let published = 0; published < 1_000; published += 1) await gateway.publish({ kind: 'tools' });
    const [told = []] = await upToBarrier(gateway, stream);
    expect(told.length).toBeGreaterThanOrEqual(1);
    expect(told.length).toBeLessThanOrEqual(1_000);
    expect(await gateway.metric('lg_notifications_coalesced_total{kind="tools"}')).toBe(1_000 - told.length);

    await gateway.publish({ kind: 'tools' });
    expect((await stream.next('the change after the burst')).method).toBe('notifications/tools/list_changed');
  });

  it('of several URIs tells of each (FIELD C32)', async () => {
    const gateway = await openGateway();
    const uris = Array.from({ length: 500 }, (_, index) => `file:///${index}`);
    const stream = await gateway.open({ filter: { resourceSubscriptions: [...uris, BARRIER] } });
    await gateway.publish([...uris, ...uris].map(resource));
    expect(await upToBarrier(gateway, stream)).toEqual([uris]);
  });
});

describe('a task’s state', () => {
  const filter = { taskIds: ['t1', 't2'], resourceSubscriptions: [BARRIER] };

  it('arrives in full, at the streams that named the task (P-4.2, P-4.3)', async () => {
    const gateway = await openGateway();
    const stream = await gateway.open({ filter });
    expect(stream.messages[0]?.params?.notifications).toEqual({
      resourceSubscriptions: [BARRIER],
      taskIds: ['t1', 't2'],
    });
    const states: Change[] = [
      task('t1', 'working', { statusMessage: 'half\u2028way' }),
      task('t1', 'input_required', { inputRequests: { a: { method: 'elicitation/create', params: {} } } }),
      task('t2', 'failed', { error: { code: -32603, message: 'x' } }),
      task('t1', 'completed', { result: { content: [], structuredContent: { deep: [1, { two: null }] } } }),
    ];
    for (const state of states) {
      await gateway.publish([state, task('t3', 'working')]);
      const { method, params } = await stream.next('the state');
      const { _meta, ...told } = params ?? {};
      expect([method, told]).toEqual(['notifications/tasks', state.kind === 'task' && state.task]);
    }
  });

  it('that is newer takes the place of an unsent one, and an end is never lost (P-4.3)', async () => {
    const gateway = await openGateway();
    const stream = await gateway.open({ filter });
    await gateway.publish([
      task('t1', 'working'),
      task('t1', 'completed'),
      task('t1', 'working'),
      task('t2', 'working'),
    ]);
    await upToBarrier(gateway, stream);
    const told = stream.messages.filter(({ method }) => method === 'notifications/tasks');
    expect(told.map(({ params }) => [params?.taskId, params?.status])).toEqual([
      ['t1', 'completed'],
      ['t2', 'working'],
    ]);
  });
});
