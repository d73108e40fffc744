import type { Change, Filter, TraceContext } from '@listen-gateway/protocol';
import { ALL_CAPABILITIES, type RecordingSink, TEST_SERVER, TestInstance } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import type { Follow } from './follow.ts';

/** A trace context that carries a number, so that a test can tell them apart. */
const numbered = (n: number): TraceContext => ({
  traceparent: `00-${String(n).padStart(32, 'a')}-b7ad6b7169203331-01`,
  tracestate: 'acme=1',
});
const tools = (n?: number): Change => ({ kind: 'tools', ...traced(n) });
const prompts = (n?: number): Change => ({ kind: 'prompts', ...traced(n) });
const uri = (uri: string, n?: number): Change => ({ kind: 'resource', uri, ...traced(n) });
const task = (status: 'working' | 'completed', n?: number): Change => ({
  kind: 'task',
  task: { taskId: 't', status },
  ...traced(n),
});
const traced = (n: number | undefined) => (n === undefined ? undefined : { trace: numbered(n) });

const EVERYTHING: Filter = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourceSubscriptions: ['a', 'b', 'c'],
  taskIds: ['t'],
};

/** Which traces a host was told, with what each notification says, after the acknowledgement. */
const toldTo = (sink: RecordingSink): readonly unknown[] =>
  sink.messages.slice(1).map(({ method, params }) => {
    const what = params?.uri ?? params?.taskId ?? method?.split('/')[1];
    const traceparent = params?._meta?.traceparent as string | undefined;
    return [what, traceparent === undefined ? undefined : Number(traceparent.slice(3, 35).replace(/^a+/, ''))];
  });

const opened = (instance: TestInstance, filter = EVERYTHING, id = 'listen:0') => instance.open({ id, filter });

describe('a traced change', () => {
  it('is told with the parent of its trace and nothing else of it, whatever its kind', async () => {
    const instance = new TestInstance();
    const sink = await opened(instance);
    for (const change of [tools(1), uri('a', 2), task('working', 3)]) await instance.publish(change);
    expect(toldTo(sink)).toEqual([
      ['tools', 1],
      ['a', 2],
      ['t', 3],
    ]);
    expect(sink.text).not.toContain('tracestate');
  });

  it('leaves what is told without a trace byte for byte as it was, before and after it', async () => {
    const [instance, untouched] = [new TestInstance(), new TestInstance()];
    const [sink, expected] = [await opened(instance), await opened(untouched)];
    const untraced = [tools(), prompts(), uri('a'), [tools(), prompts(), uri('a'), uri('b'), task('working')]].flat();
    await instance.publish([tools(1), prompts(2), uri('a', 3), uri('b', 4), task('working', 5)]);
    const before = sink.text.length;
    for (const change of untraced) await instance.publish(change);
    const start = expected.text.length;
    for (const change of untraced) await untouched.publish(change);
    expect(sink.text.slice(before)).toBe(expected.text.slice(start));
  });

  it.each([
    ['a list', [tools(1)]],
    ['several lists', [tools(1), prompts(1)]],
    ['lists that were traced apart', [tools(1), prompts(2), tools(3)]],
    ['a URI', [uri('a', 1)]],
    ['a task', [task('working', 1)]],
  ])('of %s is encoded once for all streams of an id', async (_what, changes) => {
    const instance = new TestInstance();
    const sinks = [await opened(instance), await opened(instance), await opened(instance, EVERYTHING, 'other')];
    await instance.publish(changes);
    const [one, same, other] = sinks.map(({ chunks }) => chunks[1]);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
    expect(toldTo(sinks[2] as RecordingSink)).toEqual(toldTo(sinks[0] as RecordingSink));
  });

  it('is not mixed up with another that says the same to others in the same pass', async () => {
    const instance = new TestInstance();
    const sinks = await Promise.all(
      ['ann', 'bob'].map((subject) => instance.open({ subject, filter: EVERYTHING, id: 'listen:0' })),
    );
    for (const change of [tools, prompts, (n?: number) => uri('a', n), (n?: number) => task('working', n)]) {
      const [ann, bob] = [{ subjects: ['ann'] }, { subjects: ['bob'] }];
      await instance.publish([
        { ...change(1), audience: ann },
        { ...change(2), audience: bob },
      ]);
    }
    const traces = sinks.map((sink) => toldTo(sink).map((told) => (told as unknown[])[1]));
    expect(traces).toEqual([
      [1, 1, 1, 1],
      [2, 2, 2, 2],
    ]);
  });

  it('brings nobody what comes with it untraced for others', async () => {
    const instance = new TestInstance();
    const filters = [{ toolsListChanged: true }, { toolsListChanged: true, promptsListChanged: true }];
    const sinks = await Promise.all([...filters, ...filters.toReversed()].map((filter) => opened(instance, filter)));
    await instance.publish([tools(1), prompts()]);
    const [one, both] = [
      [['tools', 1]],
      [
        ['tools', 1],
        ['prompts', undefined],
      ],
    ];
    expect(sinks.map(toldTo)).toEqual([one, both, both, one]);
  });

  it('gives what several became the latest trace of them; a change without one takes none away', async () => {
    const instance = new TestInstance();
    const sink = await opened(instance);
    await instance.publish([tools(1), tools(2), tools(), prompts(), uri('a', 1), uri('a', 2), uri('a')]);
    await instance.publish([uri('a'), uri('b', 1), uri('b', 2), uri('c'), uri('b'), uri('a', 3)]);
    expect(toldTo(sink)).toEqual([
      ['tools', 2],
      ['prompts', undefined],
      ['a', 2],
      ['a', 3],
      ['b', 2],
      ['c', undefined],
    ]);
  });

  it('of a task goes with its state: a state that replaces it brings its own trace or none', async () => {
    const instance = new TestInstance();
    const sink = await opened(instance);
    await instance.publish([task('working', 1), task('working', 2)]);
    await instance.publish([task('working', 3), task('completed'), task('working', 4)]);
    expect(toldTo(sink)).toEqual([
      ['t', 2],
      ['t', undefined],
    ]);
  });

  it('is told with its trace under the URI that a host named above the one that changed', async () => {
    const instance = new TestInstance();
    const resources = { ...ALL_CAPABILITIES.resources, subResources: true };
    const capabilities = { ...ALL_CAPABILITIES, resources };
    const sink = await instance.open({ filter: { resourceSubscriptions: ['file:///'] }, capabilities });
    sink.block();
    const children = Array.from({ length: 70 }, (_, n) => uri(`file:///${n}`, n));
    await instance.publish(uri('file:///x', 99));
    await instance.publish(children);
    sink.drain();
    await instance.publish([]);
    expect(toldTo(sink).at(-1)).toEqual(['file:///', 69]);
    expect(toldTo(sink)).toHaveLength(1 + 65 + 1);
  });

  it('has no part in a gap, after which everything is told', async () => {
    const instance = new TestInstance();
    const sink = await opened(instance, { toolsListChanged: true, resourceSubscriptions: ['a'] });
    await instance.publish([tools(1), uri('a', 1)]);
    instance.broker.gap(TEST_SERVER);
    instance.clock.advance(0);
    expect(toldTo(sink).slice(2)).toEqual([
      ['tools', undefined],
      ['a', undefined],
    ]);
  });
});

describe('whoever follows changes', () => {
  const following = () => {
    const seen: unknown[] = [];
    const follow: Follow = (serverId, { kind }, { traceparent }) => {
      seen.push([serverId, kind, traceparent]);
      return { trace: numbered(9), over: (streams) => void seen.push(`${kind} over, ${streams} told`) };
    };
    return { seen, instance: new TestInstance({ follow }) };
  };

  it('is told of each traced change once, however many streams, and when the pass that wrote it is over', async () => {
    const { seen, instance } = following();
    const sinks = [];
    for (let n = 0; n < 300; n += 1) sinks.push(await opened(instance));
    await instance.broker.publish(TEST_SERVER, [tools(1), prompts()]);
    expect(seen).toEqual([[TEST_SERVER, 'tools', numbered(1).traceparent]]);
    for (const written of [128, 256]) {
      instance.clock.runSoon();
      expect(sinks.filter(({ chunks }) => chunks.length === 2)).toHaveLength(written);
      expect(seen).toHaveLength(1);
    }
    instance.clock.runSoon();
    expect(seen).toEqual([[TEST_SERVER, 'tools', numbered(1).traceparent], 'tools over, 300 told']);
  });

  it('says what hosts are told, in the place of what came', async () => {
    const { instance } = following();
    const sink = await opened(instance);
    await instance.publish([tools(1), uri('a', 2)]);
    expect(toldTo(sink)).toEqual([
      ['tools', 9],
      ['a', 9],
    ]);
  });

  it('hears of the end at once of those that are more than 4096 in a pass', async () => {
    const { seen, instance } = following();
    await opened(instance);
    const ended = () => seen.filter((one) => one === 'tools over, 1 told').length;
    await instance.broker.publish(
      TEST_SERVER,
      Array.from({ length: 5_000 }, () => tools(1)),
    );
    expect(ended()).toBe(5_000 - 4_096);
    instance.clock.advance(0);
    expect(ended()).toBe(5_000);
  });

  it('hears of the end at once where no stream owes the change', async () => {
    const { seen, instance } = following();
    await opened(instance, { promptsListChanged: true });
    await instance.broker.publish(TEST_SERVER, [tools(1)]);
    expect(seen).toEqual([[TEST_SERVER, 'tools', numbered(1).traceparent], 'tools over, 0 told']);
  });
});
