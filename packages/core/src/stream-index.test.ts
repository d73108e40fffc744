import type { Change, Filter } from '@listen-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleStream } from '../test/sample-stream.ts';
import type { Stream } from './stream.ts';
import { StreamIndex } from './stream-index.ts';

/** Whether `uri` lies beneath `parent`, read off the rule and not off the index (P-1.11). */
function isBeneath(uri: string, parent: string): boolean {
  const [path = ''] = uri.split(/[?#]/);
  if (path.length < parent.length || !uri.startsWith(parent) || uri === parent) return false;
  const authority = path.indexOf('://') < 0 ? 0 : path.indexOf('://') + 3;
  if (parent.length <= authority) return false;
  return parent.endsWith('/') || path[parent.length] === '/';
}

function wants({ honored, principal, subResources }: Stream, change: Change): boolean {
  if (change.audience && !(principal !== undefined && change.audience.subjects.includes(principal.subject)))
    return false;
  switch (change.kind) {
    case 'tools':
      return honored.toolsListChanged === true;
    case 'prompts':
      return honored.promptsListChanged === true;
    case 'resources':
      return honored.resourcesListChanged === true;
    case 'task':
      return honored.taskIds?.includes(change.task.taskId) === true;
    case 'resource':
      return (honored.resourceSubscriptions ?? []).some(
        (named) => named === change.uri || (subResources && isBeneath(change.uri, named)),
      );
  }
}

function matched(index: StreamIndex, change: Change): readonly Stream[] {
  const visited: Stream[] = [];
  index.match(change, (stream) => visited.push(stream));
  return visited;
}

const uri = fc.oneof(
  fc.constantFrom('', '/', '//', 'file:///', 'file:///a', 'file:///a/', 'file:///ab', 'file:///a/b', 'file:///a//b'),
  fc.constantFrom('http://h', 'http://h/', 'http://h/a?x=/b', 'http://h/a?x=', 'http://h/a#/b', 'mem:a/b', 'mem:a'),
  fc.array(fc.constantFrom('a', 'b', 'ab', ''), { maxLength: 4 }).map((parts) => `file:///${parts.join('/')}`),
  fc.string({ unit: fc.constantFrom('/', 'a', ':', '?', '#'), maxLength: 8 }),
);
const name = fc.constantFrom('t1', 't2', '__proto__', '');
const subject = fc.constantFrom('ann', 'bob', '');
const honored: fc.Arbitrary<Filter> = fc.record(
  {
    toolsListChanged: fc.constant(true),
    promptsListChanged: fc.constant(true),
    resourcesListChanged: fc.constant(true),
    resourceSubscriptions: fc.uniqueArray(uri, { minLength: 1, maxLength: 4 }),
    taskIds: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const stream = fc
  .record({ honored, subResources: fc.boolean(), principal: fc.option(fc.record({ subject }), { nil: undefined }) })
  .map((sketch) => sampleStream(sketch));
const audience = fc.option(fc.array(subject, { minLength: 1, maxLength: 2 }), { nil: undefined });
const change = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('tools', 'prompts', 'resources').map((kind) => ({ kind })),
      uri.map((uri) => ({ kind: 'resource', uri })),
      name.map((taskId) => ({ kind: 'task', task: { taskId, status: 'working' } })),
    ),
    audience,
  )
  .map(([members, subjects]) => ({ ...members, ...(subjects && { audience: { subjects } }) }) as Change);

describe('the index of a server', () => {
  it('finds each stream that wants a change once, and no other (P-1.5, P-1.11, INS-06)', () => {
    const present = fc.array(fc.tuple(stream, fc.boolean()), { maxLength: 8 });
    fc.assert(
      fc.property(present, fc.array(change, { minLength: 1, maxLength: 6 }), (streams, changes) => {
        const index = new StreamIndex();
        for (const [stream] of streams) index.add(stream);
        for (const [stream, stays] of streams) if (!stays) index.remove(stream);
        const left = streams.filter(([, stays]) => stays).map(([stream]) => stream);
        expect([...index.all]).toEqual(left);
        for (const change of changes) {
          const found = matched(index, change).map(({ id }) => id);
          expect(found.toSorted()).toEqual(
            left
              .filter((stream) => wants(stream, change))
              .map(({ id }) => id)
              .toSorted(),
          );
        }
      }),
      { numRuns: 400 },
    );
  });

  it('holds nothing once all have left, also those that leave twice or never came (FIELD C38)', () => {
    const index = new StreamIndex();
    const honored = { toolsListChanged: true, resourceSubscriptions: ['file:///a'], taskIds: ['t'] };
    const streams = [sampleStream({ honored, subResources: true }), sampleStream({ honored })];
    for (const stream of streams) index.add(stream);
    index.remove(sampleStream({ honored, subResources: true }));
    for (const stream of [...streams, ...streams]) index.remove(stream);
    expect(index.all.size).toBe(0);
    const changes: Change[] = [{ kind: 'tools' }, { kind: 'resource', uri: 'file:///a/b' }];
    expect(changes.flatMap((change) => matched(index, change))).toEqual([]);
  });
});

describe('a subscription to a URI', () => {
  const hears = (named: string, uri: string, subResources: boolean): boolean => {
    const index = new StreamIndex();
    index.add(sampleStream({ honored: { resourceSubscriptions: [named] }, subResources }));
    return matched(index, { kind: 'resource', uri }).length === 1;
  };

  it.each([
    ['file:///a', 'file:///a/b'],
    ['file:///a', 'file:///a/b/c'],
    ['file:///a', 'file:///a/'],
    ['file:///a/', 'file:///a/b'],
    ['file:///', 'file:///a/b'],
    ['http://h', 'http://h/a'],
    ['http://h/a', 'http://h/a/b?x=1'],
    ['mem:a', 'mem:a/b'],
  ])('to %s hears of %s only where the server announces sub-resources (P-1.11)', (named, uri) => {
    expect(hears(named, uri, true)).toBe(true);
    expect(hears(named, uri, false)).toBe(false);
  });

  it.each([
    ['file:///a', 'file:///ab'],
    ['file:///a/', 'file:///a'],
    ['file:///a/b/', 'file:///a/b'],
    ['file:///a/b', 'file:///a'],
    ['http://h', 'http://hx/a'],
    ['http:', 'http://h/a'],
    ['http://', 'http://h/a'],
    ['', '/a'],
    ['', 'file:///a'],
    ['http://h/a?x=', 'http://h/a?x=/b'],
    ['http://h/a', 'http://h/a?x=/b'],
    ['http://h/a#x', 'http://h/a#x/b'],
  ])('to %j does not hear of %s, whatever is announced (P-1.11, FIELD C31)', (named, uri) => {
    expect(hears(named, uri, true)).toBe(false);
  });

  it.each([
    ['HTTP://Example.com', 'http://example.com'],
    ['http://example.com/%7Ea', 'http://example.com/~a'],
    ['file:///A%20b', 'file:///A b'],
  ])('to %s is byte for byte: %s is another URI (FIELD C28)', (named, variant) => {
    expect(hears(named, named, false)).toBe(true);
    expect(hears(named, variant, true)).toBe(false);
  });
});

describe('an audience', () => {
  it('leaves out streams whose principal is not known', () => {
    const index = new StreamIndex();
    const [ann, nobody] = [sampleStream({ principal: { subject: 'ann' } }), sampleStream()];
    for (const stream of [ann, nobody, sampleStream({ principal: { subject: 'bob' } })]) index.add(stream);
    expect(matched(index, { kind: 'tools', audience: { subjects: ['ann', 'undefined', ''] } })).toEqual([ann]);
  });
});
