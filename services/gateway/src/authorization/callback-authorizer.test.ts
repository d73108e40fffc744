import type { Filter, ServerId } from '@listen-gateway/protocol';
import { systemClock } from '@listen-gateway/service-kit';
import { eventually, ManualClock, within } from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeafPort } from '../../test/deaf-port.ts';
import { openStubBackend, type StubBackend } from '../../test/stub-backend.ts';
import type { HostPrincipal } from '../auth/host-principal.ts';
import { CallbackAuthorizer, type CallbackOptions, type Consultation } from './callback-authorizer.ts';

const REQUESTED: Filter = { toolsListChanged: true, resourceSubscriptions: ['file:///a', 'file:///b'], taskIds: ['t'] };
const SECRET = 'Bearer s3cret-of-the-gateway';

let backend: StubBackend;
const authorizers: CallbackAuthorizer[] = [];
const consulted: { readonly consultation: Consultation; readonly cause: unknown }[] = [];

beforeEach(async () => {
  backend = await openStubBackend();
});
afterEach(async () => {
  for (const authorizer of authorizers.splice(0)) await authorizer.close();
  await backend.close();
  consulted.length = 0;
});

function open(options: Partial<CallbackOptions> = {}): CallbackAuthorizer {
  const authorizer = new CallbackAuthorizer({
    serverId: 'acme' as ServerId,
    url: backend.url,
    claims: [],
    timeoutMs: 2_000,
    ttlMs: 60_000,
    credential: undefined,
    clock: systemClock,
    onConsulted: (consultation, cause) => consulted.push({ consultation, cause }),
    ...options,
  });
  authorizers.push(authorizer);
  return authorizer;
}

function principal(rest: Partial<HostPrincipal> = {}): HostPrincipal {
  const token = { expiresAtMs: undefined, sid: 's', jti: 'j' };
  return { subject: 'ann', issuer: 'https://id.acme.example', scopes: ['read'], claims: {}, ...token, ...rest };
}

const ask = (authorizer: CallbackAuthorizer, rest: Partial<HostPrincipal> = {}, requested = REQUESTED) =>
  within(5_000, 'the grant', authorizer.grant({ principal: principal(rest), requested, subResources: false }));
const outcomes = () => consulted.map(({ consultation }) => consultation);

describe('a backend that decides', () => {
  it('is told the server, the principal and the filter, and only the claims that are configured', async () => {
    await ask(open({ claims: ['tenant', 'absent'], credential: SECRET }), { claims: { tenant: 'acme', email: 'a@x' } });
    expect(backend.questions).toEqual([
      {
        authorization: SECRET,
        json: {
          server: 'acme',
          principal: {
            subject: 'ann',
            issuer: 'https://id.acme.example',
            scopes: ['read'],
            claims: { tenant: 'acme' },
          },
          requested: REQUESTED,
        },
      },
    ]);
  });

  it('grants what it names, and nothing that was not requested (INS-04)', async () => {
    backend.answering = (response) =>
      backend.grant(response, {
        toolsListChanged: true,
        promptsListChanged: true,
        resourceSubscriptions: ['file:///b', 'file:///other', 'file:///**'],
        taskIds: ['**'],
      });
    expect(await ask(open())).toStrictEqual({ toolsListChanged: true, resourceSubscriptions: ['file:///b'] });
  });

  it('may grant nothing, which is an answer', async () => {
    backend.answering = (response) => backend.grant(response, {});
    expect(await ask(open())).toStrictEqual({});
    expect(outcomes()).toEqual(['answered']);
  });

  it('is asked once for the same question, also while the first is under way', async () => {
    const authorizer = open();
    const grants = await Promise.all(Array.from({ length: 50 }, () => ask(authorizer)));
    expect(grants).toEqual(Array(50).fill(REQUESTED));
    await ask(authorizer);
    expect(backend.questions).toHaveLength(1);
    expect(outcomes()).toEqual(['answered', 'remembered']);
  });

  it('is asked again for another principal, issuer, scope, told claim or filter', async () => {
    const authorizer = open({ claims: ['tenant'] });
    const others: readonly Partial<HostPrincipal>[] = [
      {},
      { subject: 'bob' },
      { issuer: 'https://other.example' },
      { scopes: ['write'] },
      { claims: { tenant: 'x' } },
    ];
    for (const other of others) await ask(authorizer, other);
    await ask(authorizer, {}, { toolsListChanged: true });
    await ask(authorizer, { claims: { untold: 1 }, sid: 'other', jti: 'other' });
    expect(backend.questions).toHaveLength(6);
  });

  it('is asked again once the answer is too old', async () => {
    const clock = new ManualClock(1_000);
    const authorizer = open({ clock, ttlMs: 500 });
    await ask(authorizer);
    clock.advance(499);
    await ask(authorizer);
    expect(backend.questions).toHaveLength(1);
    clock.advance(1);
    await ask(authorizer);
    expect(backend.questions).toHaveLength(2);
  });
});

describe('a principal whose access may have changed', () => {
  it.each(['ann', undefined])('(%s) is asked about again at once, and nobody else needlessly', async (subject) => {
    const authorizer = open();
    for (const sub of ['ann', 'bob']) await ask(authorizer, { subject: sub });
    authorizer.forget(subject);
    for (const sub of ['ann', 'bob']) await ask(authorizer, { subject: sub });
    expect(backend.questions).toHaveLength(subject === undefined ? 4 : 3);
  });

  it('is asked about again where the answer was under way, which may be older than the change', async () => {
    let answerFirst = () => {};
    backend.answering = (response, { json }) => {
      answerFirst = () => backend.grant(response, json.requested);
    };
    const authorizer = open();
    const first = ask(authorizer);
    await eventually(2_000, 'the question', () => backend.questions.length === 1);
    authorizer.forget('bob');
    authorizer.forget('ann');
    const second = ask(authorizer);
    backend.answering = (response) => backend.grant(response, {});
    answerFirst();
    expect(await Promise.all([first, second, ask(authorizer)])).toEqual([{}, {}, {}]);
    expect(backend.questions).toHaveLength(2);
  });

  it('is not asked about without end', async () => {
    const authorizer = open();
    backend.answering = (response, { json }) => {
      authorizer.forget('ann');
      backend.grant(response, json.requested);
    };
    expect(await ask(authorizer)).toBe('authorizer-unavailable');
    expect(backend.questions).toHaveLength(2);
  });
});

describe('a backend that cannot say', () => {
  it.each<[string, StubBackend['answering']]>([
    ['answers 500', (response) => response.writeHead(500).end('{"granted":{"toolsListChanged":true}}')],
    ['answers 403', (response) => response.writeHead(403).end()],
    ['answers 204', (response) => response.writeHead(204).end()],
    ['redirects', (response) => response.writeHead(307, { Location: '/elsewhere' }).end()],
    ['answers no JSON', (response) => response.writeHead(200).end('file:///a')],
    ['answers no object', (response) => response.writeHead(200).end('null')],
    ['grants no filter', (response) => response.writeHead(200).end('{"granted":true}')],
    ['grants half a filter', (response) => response.writeHead(200).end('{"granted":{"taskIds":[5]}}')],
    ['grants nothing by name', (response) => response.writeHead(200).end('{}')],
    ['breaks off', (response) => response.socket?.destroy()],
    ['breaks off in its answer', (response) => response.write('{"granted":', () => response.socket?.destroy())],
    ['answers without end', (response) => response.writeHead(200).end(`"${'x'.repeat(9 * 1024 * 1024)}"`)],
  ])('(it %s) grants nothing and is asked again the next time', async (_what, answering) => {
    backend.answering = answering;
    const authorizer = open();
    expect(await ask(authorizer)).toBe('authorizer-unavailable');
    backend.answering = (response, { json }) => backend.grant(response, json.requested);
    expect(await ask(authorizer)).toEqual(REQUESTED);
    expect(outcomes()).toEqual(['failed', 'answered']);
  });

  it.each<[string, StubBackend['answering']]>([
    ['says nothing', () => {}],
    ['stops in its answer', (response) => response.writeHead(200).write('{"granted":')],
  ])('(it %s) is given up in time, for all who asked', async (_what, answering) => {
    backend.answering = answering;
    const authorizer = open({ timeoutMs: 300 });
    const startedAt = performance.now();
    expect(await Promise.all([ask(authorizer), ask(authorizer)])).toEqual(Array(2).fill('authorizer-unavailable'));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(backend.questions).toHaveLength(1);
  });

  it('(it says nothing) keeps nobody waiting for longer, however many ask', async () => {
    backend.answering = () => {};
    const authorizer = open({ timeoutMs: 400 });
    const startedAt = performance.now();
    const asked = Array.from({ length: 200 }, (_, index) => ask(authorizer, { subject: `user-${index}` }));
    expect(await Promise.all(asked)).toEqual(Array(200).fill('authorizer-unavailable'));
    // One batch after the other they would wait for 2.8 s.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('(no connection is made) is given up in time', async () => {
    const port = await DeafPort.open();
    const startedAt = performance.now();
    expect(await ask(open({ url: port.url, timeoutMs: 400 }))).toBe('authorizer-unavailable');
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await port.close();
  });

  it('(nobody listens there) grants nothing', async () => {
    expect(await ask(open({ url: 'http://127.0.0.1:9/authorize' }))).toBe('authorizer-unavailable');
  });

  it('is reported by why alone, without what was asked or answered', async () => {
    backend.answering = (response) => response.writeHead(200).end('t-secret file:///a');
    await ask(open({ credential: SECRET }), {}, { taskIds: ['t-secret'] });
    expect(String(consulted[0]?.cause)).toBe('Error: the authorizer answered what is not JSON');
  });

  it('keeps nobody waiting when its instance closes', async () => {
    backend.answering = () => {};
    const authorizer = open({ timeoutMs: 10_000 });
    const asked = ask(authorizer);
    await eventually(2_000, 'the question', () => backend.questions.length === 1);
    await authorizer.close();
    expect(await asked).toBe('authorizer-unavailable');
  });
});
