import type { Change, ServerId } from '@listen-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleStream } from '../test/sample-stream.ts';
import { LIST_BITS } from './outbox.ts';
import { type Marks, Registry } from './registry.ts';
import type { Stream } from './stream.ts';

const acme = 'acme' as ServerId;
const other = 'other' as ServerId;
const uriChange = (uri: string): Change => ({ kind: 'resource', uri });

function mark(registry: Registry, serverId: ServerId, change: Change): Marks & { readonly marked: readonly Stream[] } {
  const marked: Stream[] = [];
  const marks = registry.mark(serverId, change, (stream) => marked.push(stream));
  return { ...marks, marked };
}

describe('the registry', () => {
  it('marks the streams of the server that changed and of no other (INS-01, FIELD A6)', () => {
    const registry = new Registry();
    const [ours, theirs] = [sampleStream({ serverId: acme }), sampleStream({ serverId: other })];
    for (const stream of [ours, theirs]) registry.add(stream);
    expect(mark(registry, acme, { kind: 'tools' })).toEqual({ owing: 1, coalesced: 0, marked: [ours] });
    expect(theirs.outbox.isEmpty).toBe(true);
    expect(mark(registry, 'third' as ServerId, { kind: 'tools' })).toEqual({ owing: 0, coalesced: 0, marked: [] });
  });

  it('marks a stream for what it was granted, never for what it asked (INS-06)', () => {
    const registry = new Registry();
    const stream = sampleStream({ serverId: acme, honored: { promptsListChanged: true } });
    registry.add(stream);
    for (const change of [{ kind: 'tools' }, { kind: 'resources' }, uriChange('')] as const) {
      expect(mark(registry, acme, change).marked).toEqual([]);
    }
    expect(mark(registry, acme, { kind: 'prompts' }).marked).toEqual([stream]);
    expect(stream.outbox.owed).toEqual({ lists: LIST_BITS.prompts, uris: [], tasks: [] });
  });

  it('counts the streams that owe a change from now on and those that owed it (FIELD C32)', () => {
    const registry = new Registry();
    const honored = { resourceSubscriptions: ['file:///a', 'file:///a/b'] };
    const streams = [1, 2, 3].map(() => sampleStream({ serverId: acme, honored, subResources: true }));
    for (const stream of streams) registry.add(stream);
    expect(mark(registry, acme, uriChange('file:///a/b'))).toMatchObject({ owing: 3, coalesced: 0 });
    expect(mark(registry, acme, uriChange('file:///a/b'))).toMatchObject({ owing: 0, coalesced: 3 });
    streams[0]?.outbox.clear();
    expect(mark(registry, acme, uriChange('file:///a/b'))).toMatchObject({ owing: 1, coalesced: 2 });
  });

  it('knows the streams of a server until they leave, and then nothing (FIELD C38)', () => {
    const registry = new Registry();
    const streams = [sampleStream({ serverId: acme }), sampleStream({ serverId: acme })];
    for (const stream of streams) registry.add(stream);
    expect([...registry.of(acme)]).toEqual(streams);
    expect(registry.of(other).size).toBe(0);
    for (const stream of [...streams, ...streams]) registry.remove(stream);
    expect(registry.of(acme).size).toBe(0);
  });

  it('owes what changed beneath a URI, up to a bound, and past it the URI that was named (P-1.11, FIELD C35)', () => {
    const registry = new Registry();
    const stream = sampleStream({
      serverId: acme,
      honored: { resourceSubscriptions: ['file:///a', 'file:///b'] },
      subResources: true,
    });
    registry.add(stream);
    for (let n = 0; n < 10_000; n += 1) mark(registry, acme, uriChange(`file:///a/${n}`));
    const { uris } = stream.outbox.owed;
    expect(uris.slice(0, 2)).toEqual(['file:///a/0', 'file:///a/1']);
    expect(uris.at(-1)).toBe('file:///a');
    expect(uris.length).toBeLessThanOrEqual(70);
    mark(registry, acme, uriChange('file:///b/7'));
    expect(stream.outbox.owed.uris.at(-1)).toBe('file:///b');
  });

  it('lets no change go by: what each stream owes covers all that it wanted (P-1.5, P-1.11)', () => {
    const uri = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }).map((parts) => `file:///${parts.join('/')}`);
    fc.assert(
      fc.property(
        fc.uniqueArray(uri, { minLength: 1 }),
        fc.array(uri),
        fc.boolean(),
        (named, changed, subResources) => {
          const registry = new Registry();
          const stream = sampleStream({ serverId: acme, honored: { resourceSubscriptions: named }, subResources });
          registry.add(stream);
          for (const uri of changed) mark(registry, acme, uriChange(uri));
          const isWanted = (uri: string) =>
            named.some((name) => name === uri || (subResources && uri.startsWith(name.replace(/\/?$/, '/'))));
          expect(new Set(stream.outbox.owed.uris)).toEqual(new Set(changed.filter(isWanted)));
        },
      ),
    );
  });
});
