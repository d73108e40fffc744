import type { Filter } from '@listen-gateway/protocol';
import { type ListenAnswer, openListen, TEST_SERVER, TestIssuer } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStubBackend, type StubBackend } from '../test/stub-backend.ts';
import { ACKNOWLEDGED, openGateway, type TestGateway } from '../test/test-gateway.ts';

const AUDIENCE = 'https://mcp.acme.example/mcp';
const ALL: Filter = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['file:///teams/a', 'file:///teams/a/1', 'file:///teams/b/1'],
  taskIds: ['task-a', 'task-b'],
};

let issuer: TestIssuer;
let backend: StubBackend;

beforeAll(async () => {
  issuer = await TestIssuer.start();
});
afterAll(() => issuer.close());
beforeEach(async () => {
  backend = await openStubBackend();
});
afterEach(() => backend.close());

/** An instance whose one server has these settings of `auth`, and more settings of its own; `rest` are other sections. */
function authorizing(settings: object, server: object = {}, rest: object = {}): Promise<TestGateway> {
  const issuers = [{ issuer: issuer.issuer }];
  return openGateway({
    ...rest,
    servers: { default: { auth: { issuers, audience: AUDIENCE, ...settings }, ...server } },
  });
}

/** Asks for a stream with a token of these claims. */
async function ask(gateway: TestGateway, claims: object = {}, filter: Filter = ALL): Promise<ListenAnswer> {
  const token = await issuer.sign({ sub: 'ann', aud: AUDIENCE, ...claims });
  return openListen(gateway.url, { filter, headers: { Authorization: `Bearer ${token}` } });
}

/** The filter that the acknowledgement names. */
async function acknowledged(answer: ListenAnswer): Promise<unknown> {
  const message = await answer.next('the acknowledgement');
  expect(message.method).toBe(ACKNOWLEDGED);
  return message.params?.notifications;
}

describe('the acknowledgement of an authenticated host', () => {
  it('names all that is supported where nothing narrows it', async () => {
    const answer = await ask(await authorizing({}));
    expect(await acknowledged(answer)).toEqual(ALL);
    answer.close();
  });

  it.each([
    ['claims', { claims: { lists: 'lists', uris: 'uris', taskIds: 'tasks' } }],
    [
      'rules for its scopes',
      { policy: [{ scopes: ['a'], lists: ['tools'], uris: ['file:///teams/a/**'], taskIds: ['task-a'] }] },
    ],
    ['the answer of the backend', {}],
  ])(
    'names what is granted by %s, and nothing else is ever delivered (INS-04, INS-06, P-1.3)',
    async (by, settings) => {
      const granted: Filter = {
        toolsListChanged: true,
        resourceSubscriptions: ['file:///teams/a', 'file:///teams/a/1'],
        taskIds: ['task-a'],
      };
      backend.answering = (response) => backend.grant(response, { ...granted, taskIds: ['task-a', 'task-z'] });
      const callback = by === 'the answer of the backend' ? { authorizer: { url: backend.url } } : {};
      const gateway = await authorizing({ ...settings, ...callback });
      const claims = { lists: ['tools'], uris: ['file:///teams/a/**'], tasks: ['task-a'], scope: 'a b' };
      const answer = await ask(gateway, claims);
      expect(await acknowledged(answer)).toStrictEqual(granted);

      const task = (taskId: string) => ({ kind: 'task', task: { taskId, status: 'working' } }) as const;
      const resource = (uri: string) => ({ kind: 'resource', uri }) as const;
      await gateway.publish([
        { kind: 'prompts' },
        { kind: 'resources' },
        resource('file:///teams/b/1'),
        task('task-b'),
      ]);
      await gateway.publish([{ kind: 'tools' }, resource('file:///teams/a/1'), task('task-a')]);
      const heard = (await answer.received(4)).slice(1).map(({ params }) => params?.uri ?? params?.taskId);
      expect(heard).toEqual([undefined, 'file:///teams/a/1', 'task-a']);
      answer.close();
    },
  );

  it('is the same, to the byte, for what may not be watched and what is not supported (INS-04)', async () => {
    const filter = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['file:///teams/a'] };
    const unsupported = { prompts: false, resources: { subscribe: false } };
    const texts = await Promise.all(
      [
        await authorizing({ policy: [{ lists: ['tools'] }] }),
        await authorizing({}, { capabilities: unsupported }),
        await authorizing({ policy: [{ lists: ['tools', 'prompts'] }] }, { capabilities: { prompts: false } }),
      ].map(async (gateway) => {
        const answer = await ask(gateway, {}, filter);
        await answer.next('the acknowledgement');
        answer.close();
        return answer.text;
      }),
    );
    expect(new Set(texts).size).toBe(1);
  });

  it('is empty and followed by the result where nothing may be watched (P-1.13)', async () => {
    const answer = await ask(await authorizing({ policy: [{ scopes: ['admin'], lists: ['tools'] }] }));
    expect(await acknowledged(answer)).toStrictEqual({});
    expect((await answer.next('the result')).result).toMatchObject({ resultType: 'complete' });
    expect(await answer.ended).toBe('complete');
  });

  it('of a server with sub-resources names no URI beneath which not everything may be watched (P-1.11)', async () => {
    const capabilities = { resources: { subResources: true } };
    const policy = [{ uris: ['file:///teams/a', 'file:///teams/b/**'] }];
    const answer = await ask(await authorizing({ policy }, { capabilities }));
    expect(await acknowledged(answer)).toStrictEqual({ resourceSubscriptions: ['file:///teams/b/1'] });
    answer.close();
  });
});

describe('a backend that cannot say what may be watched', () => {
  it('makes a listen be refused with 503 before a byte of it, and is counted', async () => {
    backend.answering = (response) => response.writeHead(500).end();
    const gateway = await authorizing({ authorizer: { url: backend.url } });
    const answer = await ask(gateway);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toMatch(/^[1-5]$/);
    expect(await answer.json()).toMatchObject({ id: 'L1', error: { data: { reason: 'authorizer-unavailable' } } });
    expect(await gateway.metric('lg_listens_refused_total{reason="authorizer-unavailable"}')).toBe(1);
    expect(await gateway.metric('lg_authorizer_questions_total{outcome="failed"}')).toBe(1);
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ msg: 'authorizer failed', serverId: 'default', why: 'the authorizer answered 500' }),
    );
    await gateway.holds(0);
  });

  it('is not asked about what the server does not support, nor by whom it does not know', async () => {
    const capabilities = { tools: false, tasks: false };
    const gateway = await authorizing({ authorizer: { url: backend.url } }, { capabilities });
    const stranger = await openListen(gateway.url, { filter: ALL });
    expect(stranger.status).toBe(401);
    const nothing = await ask(gateway, {}, { toolsListChanged: true, taskIds: ['t'] });
    expect(await acknowledged(nothing)).toStrictEqual({});
    expect(backend.questions).toEqual([]);
    (await ask(gateway)).close();
    const { toolsListChanged: _, taskIds: __, ...supported } = ALL;
    expect(backend.questions.map(({ json }) => json.requested)).toEqual([supported]);
  });
});

describe('a principal that is disconnected', () => {
  it('is asked about again when its host comes back, so that withdrawn access is gone at once', async () => {
    const gateway = await authorizing({ authorizer: { url: backend.url, ttlMs: 600_000 } });
    const first = await ask(gateway);
    await acknowledged(first);
    backend.answering = (response) => backend.grant(response, { toolsListChanged: true });

    await gateway.broker.publish(TEST_SERVER, [{ kind: 'disconnect', subject: 'ann' }]);

    expect(await first.ended).toBe('cut');
    const second = await ask(gateway);
    expect(await acknowledged(second)).toEqual({ toolsListChanged: true });
    second.close();
  });
});

describe('a listen that is refused anyway', () => {
  it('costs the backend no question', async () => {
    const limits = { streamsPerInstance: 1 };
    const gateway = await authorizing({ authorizer: { url: backend.url } }, {}, { limits });
    const first = await ask(gateway);
    await acknowledged(first);
    expect((await ask(gateway, { sub: 'bob' })).status).toBe(503);
    expect(backend.questions).toHaveLength(1);
    first.close();
  });
});

describe('the log of an instance that authorizes', () => {
  it('names no URI, task, principal or token', async () => {
    const gateway = await authorizing({ authorizer: { url: backend.url } });
    const answer = await ask(gateway);
    await acknowledged(answer);
    answer.close();
    await gateway.holds(0);
    backend.answering = (response) => response.writeHead(200).end('{"granted":{"taskIds":"task-a"}}');
    expect((await ask(gateway, { sub: 'bob' })).status).toBe(503);
    const text = JSON.stringify(gateway.log);
    for (const secret of ['task-a', 'file:///', 'ann', 'bob', 'Bearer', 'eyJ']) expect(text).not.toContain(secret);
  });
});
