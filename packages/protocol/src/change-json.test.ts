import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from './change.ts';
import { changeJson, type Problem, parseChange, parsePublished, publishedJson } from './change-json.ts';

const parsed = (json: unknown): Change => {
  const result = parseChange(json);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.change;
};

const problemsIn = (json: unknown): readonly Problem[] => {
  const result = parseChange(json);
  if (result.ok) throw new Error(`read as ${JSON.stringify(result.change)}`);
  expect(result.problems.length).toBeGreaterThan(0);
  return result.problems;
};

const pathsIn = (json: unknown): readonly string[] => problemsIn(json).map(({ path }) => path.join('.'));

const working = {
  taskId: 't-1',
  status: 'working',
  createdAt: '2026-07-28T10:00:00Z',
  lastUpdatedAt: '2026-07-28T10:00:01Z',
  ttlMs: 60_000,
};
const task = (params: object) => ({ method: 'notifications/tasks', params });
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Any sequence of UTF-16 units, lone surrogates included. */
const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), minLength: 1 });
/** As a JSON parser gives it from a text that `JSON.stringify` wrote: without −0. */
const jsonValue = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
const audience = fc.option(fc.record({ subjects: fc.array(anyText, { minLength: 1, maxLength: 3 }) }), {
  nil: undefined,
});
const detail = fc.oneof(
  fc.constant({ status: 'working' }),
  fc.constant({ status: 'cancelled' }),
  fc.record({ status: fc.constant('completed'), result: fc.dictionary(anyText, jsonValue) }),
  fc.record({
    status: fc.constant('failed'),
    error: fc.record({ code: fc.integer(), message: anyText, data: jsonValue }),
  }),
);
const change = fc
  .tuple(
    fc.oneof(
      fc.record({ kind: fc.constantFrom('tools', 'prompts', 'resources') }),
      fc.record({ kind: fc.constant('resource'), uri: anyText }),
      fc
        .tuple(detail, anyText, fc.dictionary(fc.string({ minLength: 1 }), jsonValue))
        .map(([members, taskId, more]) => ({
          kind: 'task',
          task: { ...more, _meta: undefined, ...working, ...members, taskId },
        })),
    ),
    audience,
    fc.option(fc.constantFrom({ traceparent }, { traceparent, tracestate: 'acme=1,b@acme=2' }), { nil: undefined }),
  )
  .map(
    ([members, audience, trace]) => ({ ...members, ...(audience && { audience }), ...(trace && { trace }) }) as Change,
  );

describe('a change', () => {
  it('comes back as it went through JSON, whatever its URI, task and audience hold (FIELD C4, C28)', () => {
    fc.assert(
      fc.property(change, (change) => {
        const text = changeJson(change);
        const again = parsed(JSON.parse(text));
        expect(again).toEqual(change);
        expect(JSON.parse(changeJson(again))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['tools', 'prompts', 'resources'] as const)('of the list of %s is its notification', (kind) => {
    expect(parsed({ method: `notifications/${kind}/list_changed` })).toStrictEqual({ kind });
    expect(parsed({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed`, params: {} })).toEqual({ kind });
  });

  it('loses what says nothing about it: jsonrpc and _meta, baggage among it', () => {
    const params = { _meta: { 'io.modelcontextprotocol/subscriptionId': 7, baggage: 'user=ann' } };
    expect(parsed({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params })).toStrictEqual({
      kind: 'tools',
    });
    const uri = 'file:///a';
    expect(parsed({ method: 'notifications/resources/updated', params: { uri, ...params } })).toStrictEqual({
      kind: 'resource',
      uri,
    });
    expect(parsed(task({ ...working, ...params }))).toStrictEqual({ kind: 'task', task: working });
  });

  it('keeps the trace context of its _meta, which is where the journal has it too', () => {
    const _meta = { traceparent, tracestate: 'acme=1', baggage: 'user=ann' };
    const trace = { traceparent, tracestate: 'acme=1' };
    expect(parsed({ method: 'notifications/tools/list_changed', params: { _meta } })).toStrictEqual({
      kind: 'tools',
      trace,
    });
    const read = parsed(task({ ...working, _meta }));
    expect(read).toStrictEqual({ kind: 'task', task: working, trace });
    expect(JSON.parse(changeJson(read))).toEqual(task({ ...working, _meta: trace }));
  });

  it.each([1, null, '', 'x', `${traceparent}-`, traceparent.toUpperCase()])(
    'whose traceparent is malformed is a change without a trace, and no error: %j',
    (bad) => {
      const _meta = { traceparent: bad, tracestate: 'acme=1' };
      const uri = 'file:///a';
      expect(parsed({ method: 'notifications/resources/updated', params: { uri, _meta } })).toStrictEqual({
        kind: 'resource',
        uri,
      });
    },
  );

  it.each([
    [{ method: 'notifications/tools/list_changed', audiences: { subjects: ['a'] } }, 'audiences'],
    [{ method: 'notifications/tools/list_changed', audience: { subject: ['a'], subjects: ['a'] } }, 'audience.subject'],
    [{ method: 'notifications/tools/list_changed', params: { uri: 'x' } }, 'params.uri'],
    [{ method: 'notifications/resources/updated', params: { uri: 'x', url: 'x' } }, 'params.url'],
    [{ method: 'notifications/tools/list_changed', id: 1 }, 'id'],
    [{ method: 'notifications/tools/list_changed', __proto: 1 }, '__proto'],
    [JSON.parse('{"method":"notifications/tools/list_changed","__proto__":{"audience":1}}'), '__proto__'],
    [{ ...task(working), audience: { subjects: ['a'], roles: [] } }, 'audience.roles'],
  ])('with an unknown member is refused, and the member named: %j', (json, path) => {
    expect(pathsIn(json)).toContain(path);
    expect(problemsIn(json)[0]?.message).toContain('unknown member');
  });

  it.each([
    [{}, 'method'],
    [{ method: 'notifications/message' }, 'method'],
    [{ method: 'notifications/progress', params: {} }, 'method'],
    [{ method: 7 }, 'method'],
    [{ jsonrpc: '1.0', method: 'notifications/tools/list_changed' }, 'jsonrpc'],
    [{ method: 'notifications/tools/list_changed', params: [] }, 'params'],
    [{ method: 'notifications/resources/updated' }, 'params'],
    [{ method: 'notifications/resources/updated', params: {} }, 'params.uri'],
    [{ method: 'notifications/resources/updated', params: { uri: '' } }, 'params.uri'],
    [{ method: 'notifications/resources/updated', params: { uri: null } }, 'params.uri'],
    [{ method: 'notifications/tools/list_changed', audience: {} }, 'audience.subjects'],
    [{ method: 'notifications/tools/list_changed', audience: { subjects: [] } }, 'audience.subjects'],
    [{ method: 'notifications/tools/list_changed', audience: { subjects: [''] } }, 'audience.subjects.0'],
    [{ method: 'notifications/tools/list_changed', audience: { subjects: ['a', 7] } }, 'audience.subjects.1'],
    [{ method: 'notifications/tools/list_changed', audience: null }, 'audience'],
    [task({}), 'params.status'],
    [{ method: 'notifications/tasks' }, 'params'],
    [task([]), 'params'],
    [task({ ...working, taskId: undefined }), 'params.taskId'],
    [task({ ...working, status: 'done' }), 'params.status'],
    [task({ ...working, status: 'completed' }), 'params.result'],
    [task({ ...working, status: 'failed' }), 'params.error'],
    [task({ ...working, status: 'input_required' }), 'params.inputRequests'],
  ])('that is no change is refused, and the member named: %j', (json, path) => {
    expect(pathsIn(json).some((found) => found === path || found.startsWith(`${path}.`))).toBe(true);
  });

  it.each([null, [], 'x', 7, [{ method: 'notifications/tools/list_changed' }]])('is not %j', (json) => {
    problemsIn(json);
  });

  it('lists the methods that exist to whom names another (P-1.5)', () => {
    expect(problemsIn({ method: 'notifications/message' })).toEqual([
      { path: ['method'], message: expect.stringContaining('notifications/resources/updated') },
    ]);
  });
});

describe('a task', () => {
  it.each([
    working,
    { ...working, status: 'input_required', inputRequests: {} },
    { ...working, status: 'completed', result: { content: [], structuredContent: { a: [1, null] } } },
    { ...working, status: 'failed', error: { code: -32603, message: 'x', data: { a: 1 } } },
    { ...working, status: 'cancelled', statusMessage: 'enough', ttlMs: null, pollIntervalMs: 500 },
    { ...working, 'com.acme/progress': { done: 3, of: 7 }, resultType: 'complete' },
  ])('keeps every member it was published with: %j (P-4.3)', (params) => {
    const read = parsed(task(params));
    expect(read).toStrictEqual({ kind: 'task', task: params });
    expect(JSON.parse(changeJson(read)).params).toStrictEqual(params);
  });
});

describe('a disconnect', () => {
  const disconnect = { kind: 'disconnect', subject: 'ann' } as const;

  it.each([disconnect, { ...disconnect, sid: 's' }, { ...disconnect, sid: 's', jti: 'j' }])(
    'comes back as it went through JSON: %j',
    (published) => {
      expect(parsePublished(JSON.parse(publishedJson(published)))).toEqual({ ok: true, published });
    },
  );

  it('is no change: no backend can POST one as such', () => {
    expect(parseChange(JSON.parse(publishedJson(disconnect)))).toMatchObject({ ok: false });
  });

  it.each([{}, { subject: '' }, { subject: 'ann', to: 'all' }, { subject: 7 }])(
    'that is malformed is none: %j',
    (params) => {
      expect(parsePublished({ method: 'listen-gateway/disconnect', params })).toMatchObject({ ok: false });
    },
  );
});
