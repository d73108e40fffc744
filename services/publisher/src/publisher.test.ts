import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROMPTS, problem, RESOURCES, resource, TestPublisher, TOOLS, task } from '../test/test-publisher.ts';

let lab: TestPublisher;

beforeEach(async () => {
  lab = await new TestPublisher().start();
  await lab.listen();
});
afterEach(() => lab.close());

const receipt = { journalId: expect.stringMatching(/^\d+-\d+$/), instances: 1 };

describe('a publish', () => {
  it.each([
    ['the tool list', TOOLS, { kind: 'tools' }],
    ['the prompt list', PROMPTS, { kind: 'prompts' }],
    ['the resource list', RESOURCES, { kind: 'resources' }],
    ['a resource', resource('file:///a b'), { kind: 'resource', uri: 'file:///a b' }],
    ['a task', task('t1', { status: 'completed', result: {} }), { kind: 'task', task: { taskId: 't1', result: {} } }],
  ])('of %s reaches the instances, and answers 202 with a receipt', async (_what, body, change) => {
    expect(await lab.post(body)).toMatchObject({ status: 202, json: { receipts: [receipt] } });
    expect(lab.listener.heard).toEqual([
      expect.objectContaining({ ...change, ...('task' in change && { task: expect.objectContaining(change.task) }) }),
    ]);
  });

  it('of many changes keeps their order and answers one receipt each', async () => {
    const uris = Array.from({ length: 1_000 }, (_, index) => `test://${index}`);
    const { status, json } = await lab.post({ changes: uris.map(resource) });
    expect(status).toBe(202);
    expect(json.receipts).toHaveLength(1_000);
    expect(new Set(json.receipts.map(({ journalId }: { journalId: string }) => journalId)).size).toBe(1_000);
    expect(lab.listener.uris).toEqual(uris);
  });

  it('reaches its own server and no other', async () => {
    expect((await lab.post(TOOLS, {}, 'acme')).json).toEqual({ receipts: [{ ...receipt, instances: 0 }] });
    expect(lab.listener.heard).toEqual([]);
  });

  it.each([
    ['parameters', { 'Content-Type': 'application/json; charset=utf-8' }],
    ['another case', { 'Content-Type': 'APPLICATION/JSON' }],
  ])('takes a content type with %s (FIELD B13)', async (_what, headers) => {
    expect((await lab.post(TOOLS, headers)).status).toBe(202);
  });

  it('passes over a byte order mark (FIELD A15)', async () => {
    expect((await lab.request('default', { method: 'POST', body: `\ufeff${JSON.stringify(TOOLS)}` })).status).toBe(202);
  });

  it('keeps the bytes of a URI (FIELD C28)', async () => {
    const uris = ['HTTP://Example.com', 'file:///A%20b', 'x:\u2028\ud83d\ude00', 'x:\ud800', ' '];
    await lab.post({ changes: uris.map(resource) });
    expect(lab.listener.uris).toEqual(uris);
  });

  it('is counted by outcome and kind, timed, and logged: what was taken at info, all at debug', async () => {
    await lab.post({ changes: [TOOLS, TOOLS, resource('a')] });
    await lab.post({ method: 'x' });
    expect(await lab.metric('lg_publish_requests_total{outcome="published"}')).toBe(1);
    expect(await lab.metric('lg_publish_requests_total{outcome="invalid-changes"}')).toBe(1);
    expect(await lab.metric('lg_publish_requests_total{outcome="broker-unavailable"}')).toBe(0);
    expect(await lab.metric('lg_changes_published_total{kind="tools"}')).toBe(2);
    expect(await lab.metric('lg_changes_published_total{kind="resource"}')).toBe(1);
    expect(await lab.metric('lg_publish_seconds_count')).toBe(1);
    expect(lab.logged).toEqual([
      expect.objectContaining({
        level: 'info',
        serverId: 'default',
        publisher: 'anybody',
        kinds: { tools: 2, resource: 1 },
      }),
      expect.objectContaining({ level: 'debug', serverId: 'default', outcome: 'published' }),
      expect.objectContaining({ level: 'debug', serverId: 'default', outcome: 'invalid-changes' }),
    ]);
  });
});

describe('an Idempotency-Key', () => {
  const key = { 'Idempotency-Key': 'a'.repeat(255) };

  it('makes a retry answer the same receipts and publish nothing', async () => {
    const first = await lab.post({ changes: [TOOLS, task('t', { status: 'working', b: 1, a: { d: 1, c: 2 } })] }, key);
    expect(first.headers.get('Idempotency-Replayed')).toBeNull();
    const again = { a: { c: 2, d: 1 }, b: 1, status: 'working' };
    const second = await lab.post({ changes: [TOOLS, { ...task('t', again), jsonrpc: '2.0' }] }, key);
    expect(second).toMatchObject({ status: 202, json: first.json });
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(lab.listener.heard).toHaveLength(2);
    expect(await lab.metric('lg_publish_requests_total{outcome="replayed"}')).toBe(1);
    expect(await lab.metric('lg_changes_published_total{kind="tools"}')).toBe(1);
  });

  it('is refused for other changes', async () => {
    await lab.post(TOOLS, key);
    for (const body of [PROMPTS, { changes: [TOOLS, TOOLS] }, resource('a')]) {
      expect(await lab.post(body, key)).toMatchObject(problem(422, 'idempotency-key-reused'));
    }
    expect(lab.listener.heard).toHaveLength(1);
  });

  it('belongs to its server, and to changes that were published', async () => {
    expect((await lab.post({ method: 'x' }, key)).status).toBe(400);
    expect((await lab.post(TOOLS, key)).headers.get('Idempotency-Replayed')).toBeNull();
    expect((await lab.post(TOOLS, key, 'acme')).headers.get('Idempotency-Replayed')).toBeNull();
  });

  it.each([
    ['too long', 'a'.repeat(256)],
    ['empty', ''],
    ['of two words', 'a b'],
    ['not ASCII', '\u00e9'],
  ])('that is %s is refused', async (_what, value) => {
    expect(await lab.post(TOOLS, { 'Idempotency-Key': value })).toMatchObject(problem(400, 'invalid-idempotency-key'));
    expect(lab.listener.heard).toEqual([]);
  });
});
