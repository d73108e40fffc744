import type { Change, Published, Task } from '@listen-gateway/protocol';
import { expect, it } from 'vitest';
import type { BrokerTraits, OpenBroker } from './broker-contract.ts';
import { RecordingListener } from './recording-listener.ts';
import { freshServerId, numbered, numberedUris } from './sample-changes.ts';

const ARRIVAL_MS = 5_000;

/** What a publish does and returns. */
export function publishContract(open: OpenBroker, traits: BrokerTraits): void {
  it('delivers in publish order, batches and single changes alike', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    await broker.publish(serverId, [numbered(1)]);
    await broker.publish(serverId, [2, 3, 4].map(numbered));
    await Promise.all([5, 6, 7].map((n) => broker.publish(serverId, [numbered(n)])));
    await listener.until(ARRIVAL_MS, 'seven changes', ({ uris }) => uris.length === 7);
    expect(listener.uris).toEqual(numberedUris(1, 7));
  });

  it('keeps a batch together while others publish', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    const size = 50;
    const batches = [1, 2, 3, 4].map((batch) =>
      Array.from({ length: size }, (_, index) => numbered(batch * 1_000 + index)),
    );
    await Promise.all(batches.map((batch) => broker.publish(serverId, batch)));
    await listener.until(ARRIVAL_MS, 'four batches', ({ uris }) => uris.length === 4 * size);
    const heard = [0, 1, 2, 3].map((at) => listener.changes.slice(at * size, (at + 1) * size));
    expect(heard.sort((a, b) => uriOf(a[0]!).localeCompare(uriOf(b[0]!)))).toEqual(batches);
  });

  it('carries a disconnect among the changes, in order', async () => {
    const disconnect = { kind: 'disconnect', subject: 'ann@übung', sid: 's', jti: 'j' } as const;
    const broker = await open();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    await broker.publish(serverId, [numbered(1), disconnect, numbered(2)]);
    await listener.until(ARRIVAL_MS, 'all three', ({ heard }) => heard.length === 3);
    expect(listener.heard).toEqual([numbered(1), disconnect, numbered(2)]);
  });

  it('gives each change a receipt, in order, with ids that grow', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const outcomes = [
      await broker.publish(serverId, [1, 2, 3].map(numbered)),
      await broker.publish(serverId, [numbered(4)]),
    ];
    const ids = outcomes
      .flatMap((outcome) => (outcome.kind === 'published' ? outcome.receipts : []))
      .map((receipt) => receipt.journalId);
    expect(ids).toHaveLength(4);
    expect(ids.every((id) => /^\d+-\d+$/.test(id))).toBe(true);
    expect(ids.toSorted(byId)).toEqual(ids);
    expect(new Set(ids).size).toBe(4);
    expect(await broker.publish(serverId, [])).toEqual({ kind: 'published', receipts: [] });
  });

  it('counts the instances that a change was handed to', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const instances = async () => {
      const outcome = await broker.publish(serverId, [numbered(1)]);
      return outcome.kind === 'published' ? outcome.receipts[0]?.instances : undefined;
    };
    expect(await instances()).toBe(0);
    await broker.attach(serverId, new RecordingListener());
    await broker.attach(serverId, new RecordingListener());
    expect(await instances()).toBe(1);
    if (!traits.carriesBetweenInstances) return;
    const other = await open();
    const listener = new RecordingListener();
    await other.attach(serverId, listener);
    expect(await instances()).toBe(2);
    await listener.until(ARRIVAL_MS, 'the change from the other instance', ({ uris }) => uris.length === 1);
  });

  it('publishes once under one idempotency key and replays the receipts', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    const idempotency = { key: 'order 66 – é', fingerprint: 'a1' };
    const first = await broker.publish(serverId, [numbered(1), numbered(2)], idempotency);
    const again = await broker.publish(serverId, [numbered(1), numbered(2)], idempotency);
    const reused = await broker.publish(serverId, [numbered(3)], { key: idempotency.key, fingerprint: 'b2' });
    const elsewhere = await broker.publish(freshServerId(), [numbered(4)], idempotency);
    await broker.publish(serverId, [numbered(5)]);
    expect(first.kind).toBe('published');
    expect(again).toEqual({ ...first, kind: 'replayed' });
    expect(reused).toEqual({ kind: 'key-reused' });
    expect(elsewhere.kind).toBe('published');
    await listener.until(ARRIVAL_MS, 'the change after', ({ uris }) => uris.includes(numbered(5).uri));
    expect(listener.uris).toEqual([1, 2, 5].map((n) => numbered(n).uri));
  });

  it('publishes once when the same key comes from two sides at once', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const idempotency = { key: 'k', fingerprint: 'f' };
    const outcomes = await Promise.all([1, 2, 3].map(() => broker.publish(serverId, [numbered(1)], idempotency)));
    expect(outcomes.map((outcome) => outcome.kind).sort()).toEqual(['published', 'replayed', 'replayed']);
  });

  it('carries the trace of a change, whatever its kind, and none where it has none', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    const changes = AWKWARD_CHANGES.flatMap((change) => [{ ...change, trace: TRACE }, change]);
    await broker.publish(serverId, changes);
    await listener.until(ARRIVAL_MS, 'all changes', (heard) => heard.changes.length === changes.length);
    expect(listener.changes).toStrictEqual(changes);
  });

  it('carries a change whole: audience, task members and any URI', async () => {
    const broker = await open();
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await broker.attach(serverId, listener);
    await broker.publish(serverId, AWKWARD_CHANGES);
    await listener.until(ARRIVAL_MS, 'all changes', ({ changes }) => changes.length === AWKWARD_CHANGES.length);
    expect(listener.changes).toEqual(AWKWARD_CHANGES);
  });
}

const AWKWARD_TASK: Task = {
  taskId: 't/1 "quoted" \\',
  status: 'completed',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:01Z',
  ttlMs: null,
  pollIntervalMs: 500,
  result: {
    content: [{ type: 'text', text: 'é\u2028\u0000\u{1F600}' }],
    nested: { empty: [], none: null, half: 0.5, big: 9007199254740991 },
  },
};

const AWKWARD_CHANGES: readonly Change[] = [
  { kind: 'tools', audience: { subjects: ['user-123', 'ü"\\'] } },
  { kind: 'prompts' },
  { kind: 'resources', audience: { subjects: ['a'] } },
  { kind: 'resource', uri: 'file:///Größe/日本語/\u{1F600}?q=%E2%82%AC#"\\' },
  { kind: 'task', task: AWKWARD_TASK, audience: { subjects: ['user-123'] } },
];

const TRACE = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'rojo=00f067aa0ba902b7,fw529a3039@dt=FfffXHzw',
};

function uriOf(change: Published): string {
  return change.kind === 'resource' ? change.uri : '';
}

function byId(a: string, b: string): number {
  const [aMs = 0, aSeq = 0] = a.split('-').map(Number);
  const [bMs = 0, bSeq = 0] = b.split('-').map(Number);
  return aMs - bMs || aSeq - bSeq;
}
