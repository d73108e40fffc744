import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROMPTS, problem, RESOURCES, resource, TestPublisher, TOOLS, task } from '../test/test-publisher.ts';

let lab: TestPublisher;

beforeEach(async () => {
  lab = await new TestPublisher().start();
  for (const server of ['default', 'quiet']) await lab.listen(server);
});
/** Whatever was refused has reached nobody, and is worth no line above debug (FIELD A11, F17). */
afterEach(async () => {
  expect(lab.listener.heard).toEqual([]);
  expect(lab.logged.filter(({ level }) => level !== 'debug')).toEqual([]);
  await lab.close();
});

const subjects = { audience: { subjects: ['user-1'] } };

describe('a body that is no change', () => {
  it.each<[string, unknown, ...string[]]>([
    ['null', null, '#'],
    ['a text', 'x', '#'],
    ['a number', 7, '#'],
    ['an array', [TOOLS], '#'],
    ['an empty object', {}, '#/method'],
    ['a method of another type (FIELD A13)', { method: 5 }, '#/method'],
    ['no method', { method: null, params: {} }, '#/method'],
    ['an unknown method', { method: 'notifications/progress' }, '#/method'],
    ['params that are null', { ...TOOLS, params: null }, '#/params'],
    ['params that are an array', { ...TOOLS, params: [] }, '#/params'],
    ['params that are a text', { ...TOOLS, params: 'x' }, '#/params'],
    ['_meta that is an array', { ...TOOLS, params: { _meta: [] } }, '#/params/_meta'],
    ['no params where they are needed', { method: 'notifications/resources/updated' }, '#/params'],
    ['an empty URI', resource(''), '#/params/uri'],
    ['a URI of another type', { ...resource(''), params: { uri: 5 } }, '#/params/uri'],
    ['a misspelt audience', { ...TOOLS, audeince: {} }, '#/audeince'],
    ['an empty audience', { ...TOOLS, audience: { subjects: [] } }, '#/audience/subjects'],
    ['a task without a result', task('t', { status: 'completed' }), '#/params/result'],
    ['a task that is null', { method: 'notifications/tasks', params: null }, '#/params'],
    ['an unknown member with an odd name', { ...TOOLS, 'a/b~ é"': 1 }, '#/a~1b~0%20%C3%A9%22'],
    ['changes that are no array', { changes: TOOLS }, '#/changes'],
    ['no changes', { changes: [] }, '#/changes'],
    ['more than 1,000 changes', { changes: Array(1_001).fill(TOOLS) }, '#/changes'],
    ['something beside changes', { changes: [TOOLS], audience: { subjects: ['a'] } }, '#/audience'],
    ['one bad change of many', { changes: [TOOLS, PROMPTS, resource('a'), resource('')] }, '#/changes/3/params/uri'],
    [
      'several bad ones',
      { changes: [null, TOOLS, [], { method: 'x' }] },
      '#/changes/0',
      '#/changes/2',
      '#/changes/3/method',
    ],
  ])('(%s) is refused with 400 and pointed at', async (_what, body, ...pointers) => {
    expect(await lab.post(body)).toMatchObject(problem(400, 'invalid-changes', ...pointers));
  });

  it('says what would be right', async () => {
    const { json } = await lab.post({ method: 'notifications/tools/listChanged' });
    expect(json.errors[0].detail).toContain('notifications/tools/list_changed');
    expect((await lab.post([TOOLS])).json.errors[0].detail).toContain('{"changes": […]}');
  });

  it('lists the first 100 problems and counts the rest', async () => {
    const { json } = await lab.post({ changes: Array(1_000).fill({ method: 'x' }) });
    expect(json.errors).toHaveLength(100);
    expect(json.detail).toContain('900 more problems');
  });
});

describe('a change that could reach nobody', () => {
  it.each([
    ['the tool list', TOOLS],
    ['the prompt list', PROMPTS],
    ['the resource list', RESOURCES],
    ['a resource', resource('a')],
    ['a task', task('t')],
  ])('(%s, which its server does not announce) is refused with 422', async (_what, change) => {
    expect(await lab.post(change, {}, 'quiet')).toMatchObject(problem(422, 'undeliverable-changes', '#/method'));
  });

  it('is refused for an audience among hosts that nobody authenticated (INS-04)', async () => {
    const answer = await lab.post({ changes: [TOOLS, { ...TOOLS, ...subjects }] });
    expect(answer).toMatchObject(problem(422, 'undeliverable-changes', '#/changes/1/audience'));
    expect(answer.json.errors[0].detail).toContain('not authenticated');
  });

  it('is pointed at for each thing wrong with it', async () => {
    const answer = await lab.post({ ...TOOLS, ...subjects }, {}, 'quiet');
    expect(answer).toMatchObject(problem(422, 'undeliverable-changes', '#/method', '#/audience'));
  });
});

describe('a request for something else', () => {
  it.each(['other', 'constructor', '__proto__', 'a%20b', '%zz', '.', 'a%2Fb', '%00', 'a'.repeat(65)])(
    'to the server %s is answered 404',
    async (server) => {
      const answer = await lab.post(TOOLS, {}, server);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
    },
  );

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('by %s is answered 405 with Allow', async (method) => {
    const { status, headers, json } = await lab.request('default', { method });
    expect([status, headers.get('Allow')]).toEqual([405, 'POST']);
    if (method !== 'HEAD') expect(json.type).toBe('urn:listen-gateway:problem:method-not-allowed');
  });

  it.each(['/', '/v1/servers', '/v1/servers/default/changes/', '/v1/servers//changes', '/livez'])(
    'at %s is answered 404',
    async (path) => {
      const response = await fetch(lab.publisher.url + path, { method: 'POST' });
      expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ status: 404 })]);
    },
  );

  it.each([
    ['text/plain', { 'Content-Type': 'text/plain' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['no content type', { 'Content-Type': '' }],
    ['a relative of JSON', { 'Content-Type': 'application/json-seq' }],
    ['a compressed body', { 'Content-Encoding': 'gzip' }],
  ])('with %s is answered 415', async (_what, headers) => {
    expect(await lab.post(TOOLS, headers)).toMatchObject(problem(415, 'unsupported-media-type'));
  });
});
