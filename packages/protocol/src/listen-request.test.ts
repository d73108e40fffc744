import { afterEach, describe, expect, it } from 'vitest';
import { type ReadListen, readListen } from './listen-request.ts';
import { TASKS_EXTENSION_KEY } from './meta-keys.ts';
import { RPC_CODES, type RpcRefusal } from './rpc-error.ts';

const LIMITS = { urisPerFilter: 5, uriLength: 64 };

/** Params as they come out of a JSON parser. */
function read(notifications: string | undefined, capabilities: unknown = {}, limits = LIMITS): ReadListen {
  const meta = `"_meta":{"io.modelcontextprotocol/clientCapabilities":${JSON.stringify(capabilities)}}`;
  const params = JSON.parse(`{${meta}${notifications === undefined ? '' : `,"notifications":${notifications}`}}`);
  return readListen('L1', params, limits);
}

function requestedBy(notifications: string, capabilities?: unknown): object {
  const listen = read(notifications, capabilities);
  if (!listen.ok) throw new Error(listen.refusal.error.message);
  return listen.requested;
}

function refusalOf(notifications: string | undefined, capabilities?: unknown, limits = LIMITS): RpcRefusal {
  const listen = read(notifications, capabilities, limits);
  if (listen.ok) throw new Error('it was accepted');
  return listen.refusal;
}

const withTasks = { extensions: { [TASKS_EXTENSION_KEY]: {} } };

describe('the filter of a listen', () => {
  it('asks for three lists, URIs and tasks, each optional (P-1.2, SUB-02)', () => {
    const all = {
      toolsListChanged: true,
      promptsListChanged: false,
      resourcesListChanged: true,
      resourceSubscriptions: ['file:///a', 'file:///b'],
      taskIds: ['t'],
    };
    expect(requestedBy(JSON.stringify(all), withTasks)).toEqual(all);
    expect(requestedBy('{}')).toEqual({});
    expect(requestedBy('{"resourceSubscriptions":[]}')).toEqual({ resourceSubscriptions: [] });
  });

  it('loses members that are not known, so that none is echoed (FIELD A18)', () => {
    const hostile = '{"toolsListChanged":true,"foo":1,"__proto__":{"resourcesListChanged":true},"constructor":{}}';
    const requested = requestedBy(hostile);
    expect(Object.keys(requested)).toEqual(['toolsListChanged']);
    expect('resourcesListChanged' in requested).toBe(false);
  });

  it('cannot touch the listens that follow through __proto__ (FIELD A18)', () => {
    requestedBy('{"__proto__":{"resourcesListChanged":true},"constructor":{"prototype":{"toolsListChanged":true}}}');
    expect(requestedBy('{}')).toEqual({});
    expect('resourcesListChanged' in {} || 'toolsListChanged' in {}).toBe(false);
  });

  it.each([
    undefined,
    'null',
    '[]',
    '"x"',
    'true',
    '{"toolsListChanged":"true"}',
    '{"toolsListChanged":1}',
    '{"promptsListChanged":null}',
    '{"resourceSubscriptions":"file:///a"}',
    '{"resourceSubscriptions":[1,null]}',
    '{"resourceSubscriptions":{"0":"file:///a"}}',
    '{"taskIds":"t"}',
    '{"taskIds":[7]}',
  ])('is refused with its id and the member named: %s (P-2.14, FIELD A20)', (notifications) => {
    const refusal = refusalOf(notifications, withTasks);
    expect(refusal).toMatchObject({ status: 400, id: 'L1', error: { code: RPC_CODES.invalidParams } });
    const member = /"([a-z]+)":/i.exec(notifications ?? '')?.[1] ?? 'notifications';
    expect(refusal.error.message).toContain(`params.notifications`);
    expect(refusal.error.message).toContain(member);
  });

  it('keeps URIs as they are, also those that are none (FIELD C28, C31)', () => {
    const uris = ['', ' ', 'not a uri', 'HTTP://Example.com', 'http://example.com/%7Ea'];
    expect(requestedBy(JSON.stringify({ resourceSubscriptions: uris }))).toEqual({ resourceSubscriptions: uris });
  });

  it('may name so many URIs and tasks and no more, and the limit is said (FIELD C26)', () => {
    const named = (uris: number, tasks: number) =>
      JSON.stringify({
        resourceSubscriptions: Array.from({ length: uris }, (_, n) => `file:///${n}`),
        taskIds: Array.from({ length: tasks }, (_, n) => `t${n}`),
      });
    expect(read(named(3, 2), withTasks).ok).toBe(true);
    for (const notifications of [named(6, 0), named(3, 3), named(0, 6)]) {
      const { error } = refusalOf(notifications, withTasks);
      expect(error.code).toBe(RPC_CODES.invalidParams);
      expect(error.message).toContain('limit is 5');
    }
  });

  it('may name URIs and tasks of such a length and no more (FIELD C31)', () => {
    const of = (length: number) => JSON.stringify('x'.repeat(length));
    expect(read(`{"resourceSubscriptions":[${of(64)}],"taskIds":[${of(64)}]}`, withTasks).ok).toBe(true);
    for (const member of ['resourceSubscriptions', 'taskIds']) {
      const { error } = refusalOf(`{"${member}":["a",${of(65)}]}`, withTasks);
      expect(error).toMatchObject({ code: RPC_CODES.invalidParams });
      expect(error.message).toContain('64');
    }
  });

  it('of 100,000 URIs is refused, not taken in (FIELD C26)', () => {
    const uris = Array.from({ length: 100_000 }, (_, n) => `file:///${n}`);
    const limits = { urisPerFilter: 1_000, uriLength: 64 };
    const { error } = refusalOf(JSON.stringify({ resourceSubscriptions: uris }), {}, limits);
    expect(error.message).toContain('100000 URIs and task ids; the limit is 1000');
  });
});

describe('a listen for tasks', () => {
  it.each([
    null,
    {},
    { extensions: null },
    { extensions: {} },
    { extensions: { [`${TASKS_EXTENSION_KEY}x`]: {} } },
    { [TASKS_EXTENSION_KEY]: {} },
  ])('needs the client capability, and is told so where it declares %j (P-4.1)', (capabilities) => {
    const refusal = refusalOf('{"toolsListChanged":true,"taskIds":["t"]}', capabilities);
    expect(refusal).toMatchObject({
      status: 400,
      id: 'L1',
      error: {
        code: RPC_CODES.missingClientCapability,
        data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION_KEY]: {} } } },
      },
    });
  });

  it('is accepted from a host that declares the capability (P-4.1)', () => {
    expect(requestedBy('{"taskIds":["t"]}', withTasks)).toEqual({ taskIds: ['t'] });
  });

  it('hears of bad parameters first', () => {
    expect(refusalOf('{"taskIds":[7]}').error.code).toBe(RPC_CODES.invalidParams);
  });
});

afterEach(() => {
  // Whatever a filter held, the next test starts from a clean prototype (FIELD A18).
  expect(Object.keys(Object.prototype)).toEqual([]);
});
