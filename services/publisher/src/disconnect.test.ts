import { BrokerError } from '@listen-gateway/core';
import type { Disconnect, ServerId } from '@listen-gateway/protocol';
import { RecordingListener } from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OddBroker } from '../test/odd-broker.ts';
import { problem, TestPublisher, TOOLS } from '../test/test-publisher.ts';
import { newApiKey } from './auth/api-key.ts';

let lab: TestPublisher;
const listeners = new Map<string, RecordingListener>();
let before: () => Promise<void> = async () => {};

/** What the instances of each server heard. */
const heard = () =>
  Object.fromEntries([...listeners].filter(([, { heard }]) => heard.length > 0).map(([id, { heard }]) => [id, heard]));

/** Starts the publisher of the test, with more of its section, and listens on its servers. */
async function open(sketch: object = {}): Promise<void> {
  lab = await new TestPublisher(new OddBroker(() => before())).start(sketch);
  for (const server of ['default', 'members', 'guild']) {
    const listener = new RecordingListener();
    listeners.set(server, listener);
    await lab.broker.attach(server as ServerId, listener);
  }
}

beforeEach(async () => {
  before = async () => {};
  await open();
});
afterEach(() => lab.close());

const of = (subject: string, rest: Partial<Disconnect> = {}) => ({ kind: 'disconnect', subject, ...rest });
const receipt = (server: string) => ({ server, journalId: expect.stringMatching(/^\d+-\d+$/), instances: 1 });

describe('a disconnect', () => {
  it('reaches every server with authenticated hosts and no other, and answers 202 with a receipt for each', async () => {
    expect(await lab.disconnect('ann')).toMatchObject({
      status: 202,
      json: { receipts: [receipt('members'), receipt('guild')] },
    });
    expect(heard()).toEqual({ members: [of('ann')], guild: [of('ann')] });
  });

  it.each([[{}], [{ servers: ['members', 'guild', 'members'] }]])('with the body %j means the same', async (body) => {
    expect((await lab.disconnect('ann', body)).status).toBe(202);
    expect(heard()).toEqual({ members: [of('ann')], guild: [of('ann')] });
  });

  it('may be of one session or token, and on some servers only', async () => {
    const { status, json } = await lab.disconnect('ann', { sid: 's1', jti: 'j1', servers: ['guild'] });
    expect([status, json]).toEqual([202, { receipts: [receipt('guild')] }]);
    expect(heard()).toEqual({ guild: [of('ann', { sid: 's1', jti: 'j1' })] });
  });

  it('may be repeated', async () => {
    for (let round = 0; round < 2; round += 1) expect((await lab.disconnect('ann')).status).toBe(202);
    expect(heard()).toEqual({ members: [of('ann'), of('ann')], guild: [of('ann'), of('ann')] });
  });

  it.each([
    'a/b',
    'auth0|17',
    'https://id.example/u?x#y',
    'é 😀',
    '%2F',
    '50%',
    '%zz',
    'a+b',
    '...',
    '*',
    'x'.repeat(2_000),
  ])('takes the subject %j as it is, URL-encoded', async (subject) => {
    expect((await lab.disconnect(encodeURIComponent(subject), { servers: ['guild'] })).status).toBe(202);
    expect(heard()).toEqual({ guild: [of(subject)] });
  });

  it('is no change that could be POSTed as one', async () => {
    const json = { method: 'listen-gateway/disconnect', params: { subject: 'ann' } };
    expect(await lab.post(json, {}, 'members')).toMatchObject(problem(400, 'invalid-changes', '#/method'));
  });

  it('is logged by who asked and where, not by whom it concerns, and counted', async () => {
    await lab.disconnect('ann', { servers: ['guild'] });
    expect(lab.logged.filter(({ level }) => level === 'info')).toEqual([
      expect.objectContaining({ publisher: 'anybody', serverIds: ['guild'], msg: 'principal disconnected' }),
    ]);
    expect(JSON.stringify(lab.logged)).not.toContain('ann');
    expect(await lab.metric('lg_publish_requests_total{outcome="published"}')).toBe(1);
  });
});

describe('a disconnect that cannot be', () => {
  afterEach(() => expect(heard()).toEqual({}));

  it.each<[unknown, ...string[]]>([
    [{ sids: 's1' }, '#/sids'],
    [{ sid: '' }, '#/sid'],
    [{ jti: 5 }, '#/jti'],
    [{ sid: null }, '#/sid'],
    [{ servers: [] }, '#/servers'],
    [{ servers: 'guild' }, '#/servers'],
    [{ servers: ['guild', 5] }, '#/servers/1'],
    [['guild'], '#'],
    [null, '#'],
  ])('(its body is %j) is refused with 400 and pointed at', async (body, ...pointers) => {
    expect(await lab.disconnect('ann', body)).toMatchObject(problem(400, 'invalid-disconnect', ...pointers));
  });

  it('names a server without principals is refused with 422, and nobody is disconnected', async () => {
    const answer = await lab.disconnect('ann', { servers: ['guild', 'default', 'other', 'constructor'] });
    expect(answer).toMatchObject(problem(422, 'no-principals', '#/servers/1', '#/servers/2', '#/servers/3'));
  });

  it.each([
    ['no JSON', { body: '{', type: 'application/json', status: 400, reason: 'malformed-body' }],
    ['another type', { body: '{}', type: 'text/plain', status: 415, reason: 'unsupported-media-type' }],
    ['too much', { body: ' '.repeat(1_048_577), type: 'application/json', status: 413, reason: 'body-too-large' }],
  ])('(its body is %s) is refused', async (_what, { body, type, status, reason }) => {
    const url = `${lab.publisher.url}/v1/principals/ann/disconnect`;
    const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': type }, body });
    expect([response.status, await response.json()]).toMatchObject([status, problem(status, reason).json]);
  });

  it('is not POSTed is answered 405 with Allow', async () => {
    const response = await fetch(`${lab.publisher.url}/v1/principals/ann/disconnect`);
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
  });

  it.each(['/v1/principals//disconnect', '/v1/principals/a/b/disconnect', '/v1/principals/ann'])(
    '(POST %s) is answered 404',
    async (path) => {
      expect((await fetch(lab.publisher.url + path, { method: 'POST' })).status).toBe(404);
    },
  );

  it('the broker does not confirm is answered 503 with Retry-After', async () => {
    before = () => Promise.reject(new BrokerError('BROKER_UNAVAILABLE', 'an outage of this test'));
    const answer = await lab.disconnect('ann');
    expect(answer).toMatchObject(problem(503, 'broker-unavailable'));
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-5]$/);
  });

  it('meets a fault is answered 500', async () => {
    before = () => Promise.reject(new Error('a fault of this test'));
    expect(await lab.disconnect('ann')).toMatchObject(problem(500, 'internal-error'));
  });
});

describe('a disconnect confirmed for some servers only', () => {
  it('is answered 503, because repeating it does no harm', async () => {
    let publishes = 0;
    before = async () => {
      publishes += 1;
      if (publishes === 2) throw new BrokerError('BROKER_UNAVAILABLE', 'an outage of this test');
    };
    expect(await lab.disconnect('ann')).toMatchObject(problem(503, 'broker-unavailable'));
    expect((await lab.disconnect('ann')).status).toBe(202);
  });
});

describe('a credential', () => {
  const KEYS = { full: newApiKey(), guild: newApiKey(), publish: newApiKey() };
  const bearer = (id: keyof typeof KEYS) => ({ Authorization: `Bearer ${KEYS[id].key}` });

  beforeEach(async () => {
    await lab.close();
    const keys = [
      { id: 'full', sha256: KEYS.full.sha256 },
      { id: 'guild', sha256: KEYS.guild.sha256, servers: ['guild', 'default'], kinds: ['disconnect'] },
      { id: 'publish', sha256: KEYS.publish.sha256, kinds: ['tools'] },
    ];
    await open({ auth: { keys } });
  });

  it('is needed where publishers are authenticated', async () => {
    expect(await lab.disconnect('ann')).toMatchObject(problem(401, 'unauthenticated'));
    expect(heard()).toEqual({});
  });

  it('disconnects on the servers that it is good for', async () => {
    expect((await lab.disconnect('ann', undefined, bearer('guild'))).json).toEqual({ receipts: [receipt('guild')] });
    expect(heard()).toEqual({ guild: [of('ann')] });
    expect((await lab.disconnect('ann', undefined, bearer('full'))).json.receipts).toHaveLength(2);
  });

  it('that is not good for a named server, or for disconnects, is refused with 403', async () => {
    for (const servers of [['members'], ['guild', 'members'], ['other']]) {
      expect(await lab.disconnect('ann', { servers }, bearer('guild'))).toMatchObject(problem(403, 'not-permitted'));
    }
    expect(await lab.disconnect('ann', undefined, bearer('publish'))).toMatchObject(problem(403, 'not-permitted'));
    expect(heard()).toEqual({});
  });
});

describe('an audience', () => {
  it('is published to a server whose hosts are authenticated (INS-04)', async () => {
    const audience = { subjects: ['ann', 'bob'] };
    expect((await lab.post({ ...TOOLS, audience }, {}, 'members')).status).toBe(202);
    expect(heard()).toEqual({ members: [{ kind: 'tools', audience }] });
  });
});
