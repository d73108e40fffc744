import type { RequestId, TaskChange } from '@listen-gateway/protocol';
import { parseFrames } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { Outbox } from './outbox.ts';
import type { Chunk } from './sink.ts';
import { type SubscriptionTag, SubscriptionTags } from './subscription-tag.ts';

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const task: TaskChange = { kind: 'task', task: { taskId: 't', status: 'completed', result: {} } };

/** An outbox that owes these, each kind in the order given. */
function owing(
  ...owed: readonly ('tools' | 'prompts' | 'resources' | TaskChange | { readonly uri: string })[]
): Outbox {
  const outbox = new Outbox();
  for (const one of owed) {
    if (typeof one === 'string') outbox.oweList(one);
    else if ('uri' in one) outbox.oweUri(one.uri);
    else outbox.oweTask(one);
  }
  return outbox;
}

/** A tag that so many streams share. */
function tagOf(id: RequestId, streams: number, tags = new SubscriptionTags()): SubscriptionTag {
  let tag = tags.claim(id);
  for (let n = 1; n < streams; n += 1) tag = tags.claim(id);
  return tag;
}

const messagesIn = ({ text }: Chunk) => parseFrames(text).map(({ data }) => JSON.parse(data ?? 'null'));

describe('a subscription tag', () => {
  it.each([
    ['a list', () => owing('tools')],
    ['all lists', () => owing('tools', 'prompts', 'resources')],
    ['a URI', () => owing({ uri: 'file:///a' })],
    ['a task', () => owing(task)],
  ])('encodes %s once for all streams of its id', (_, outbox) => {
    const tag = tagOf('listen:0', 2);
    expect(tag.encode(outbox())).toBe(tag.encode(outbox()));
  });

  it('shares nothing with another id, however alike (P-1.4, P-1.6, FIELD A4, A6)', () => {
    const tags = new SubscriptionTags();
    const ids = [1, '1', '', 0, '0', ' 1'];
    const distinct = ids.map((id) => tagOf(id, 2, tags));
    expect(new Set(distinct).size).toBe(ids.length);
    for (const outbox of [owing('tools'), owing({ uri: 'file:///a' }), owing(task)]) {
      const chunks = distinct.map((tag) => tag.encode(outbox));
      expect(chunks.map((chunk) => messagesIn(chunk)[0].params._meta[SUBSCRIPTION_ID])).toStrictEqual(ids);
      expect(new Set(chunks).size).toBe(ids.length);
    }
  });

  it('encodes all that is owed in one chunk: lists, then URIs, then tasks (P-1.5)', () => {
    const chunk = tagOf('L1', 2).encode(owing(task, { uri: 'b' }, { uri: 'a' }, 'resources', 'tools'));
    expect(messagesIn(chunk).map(({ method, params }) => [method, params.uri ?? params.taskId])).toEqual([
      ['notifications/tools/list_changed', undefined],
      ['notifications/resources/list_changed', undefined],
      ['notifications/resources/updated', 'b'],
      ['notifications/resources/updated', 'a'],
      ['notifications/tasks', 't'],
    ]);
  });

  it('keeps two states of a task apart within a pass (P-4.3)', () => {
    const tag = tagOf('L1', 2);
    const working: TaskChange = { kind: 'task', task: { taskId: 't', status: 'working' } };
    const statuses = [working, task, working].map((change) => messagesIn(tag.encode(owing(change)))[0].params.status);
    expect(statuses).toEqual(['working', 'completed', 'working']);
  });

  it('forgets the chunks of URIs and tasks after the pass, and keeps those of lists', () => {
    const tag = tagOf('L1', 2);
    const encodeAll = () => [owing('tools'), owing({ uri: 'file:///a' }), owing(task)].map((owed) => tag.encode(owed));
    const [list, uri, taskState] = encodeAll();
    tag.endPass();
    const [listAgain, uriAgain, taskStateAgain] = encodeAll();
    expect(listAgain).toBe(list);
    expect(uriAgain).not.toBe(uri);
    expect(uriAgain?.text).toBe(uri?.text);
    expect(taskStateAgain).not.toBe(taskState);
  });

  it('keeps no chunk of a URI that no other stream could share', () => {
    const tag = tagOf('L1', 1);
    expect(tag.encode(owing({ uri: 'a' }))).not.toBe(tag.encode(owing({ uri: 'a' })));
  });
});

describe('the tags of an instance', () => {
  it('hold an id as long as a stream uses it (FIELD C38)', () => {
    const tags = new SubscriptionTags();
    const first = tags.claim('listen:0');
    expect(tags.claim('listen:0')).toBe(first);
    expect(first.streams).toBe(2);
    tags.claim('listen:1');
    expect(tags.size).toBe(2);
    tags.release(first);
    expect(tags.size).toBe(2);
    expect(tags.claim('listen:0')).toBe(first);
    tags.release(first);
    tags.release(first);
    expect(tags.size).toBe(1);
    expect(tags.claim('listen:0')).not.toBe(first);
  });
});
