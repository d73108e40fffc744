import { BrokerError } from '@listen-gateway/core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OddBroker } from '../test/odd-broker.ts';
import { PROMPTS, RESOURCES, resource, TestPublisher, TOOLS, task } from '../test/test-publisher.ts';
import { newApiKey } from './auth/api-key.ts';
import { idempotencyOf } from './idempotency.ts';
import { openApiDocument } from './open-api.ts';

const document = openApiDocument();
const { responses } = document.paths['/v1/servers/{server}/changes'].post;
const ajv = new Ajv2020({ strict: false }).addSchema({ $id: 'api', ...document });
const fits = (name: string, json: unknown) => ajv.validate({ $ref: `api#/components/schemas/${name}` }, json);

interface Asking {
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly server?: string;
}

const KEYS = { full: newApiKey(), narrow: newApiKey(), busy: newApiKey() };
const keys = Object.entries(KEYS).map(([id, { sha256 }]) => ({
  id,
  sha256,
  ...(id === 'narrow' && { servers: ['acme'] }),
}));

function bearer(id: keyof typeof KEYS) {
  return { Authorization: `Bearer ${KEYS[id].key}` };
}

/** What the broker gets of an Idempotency-Key of the publisher `full`. */
const keyOf = (key: string) => idempotencyOf(key, [], { publisher: 'key:full' })?.key;

/** A request for each documented status. */
const ASKINGS: Readonly<Record<string, Asking>> = {
  202: { body: TOOLS },
  400: { body: { method: 'x' } },
  401: { body: TOOLS, headers: { Authorization: 'Bearer lgp_other' } },
  403: { body: TOOLS, headers: bearer('narrow') },
  404: { body: TOOLS, server: 'other' },
  413: { body: ' '.repeat(1024 * 1024) },
  415: { body: TOOLS, headers: { 'Content-Type': 'text/plain' } },
  422: { body: TOOLS, server: 'quiet' },
  429: { body: TOOLS, headers: bearer('busy') },
  500: { body: TOOLS, headers: { 'Idempotency-Key': 'fault' } },
  503: { body: TOOLS, headers: { 'Idempotency-Key': 'outage' } },
};

const withTask = (status: string, more: object = {}) => task('t', { status, ...more });
const BODIES: readonly unknown[] = [
  ...[TOOLS, PROMPTS, RESOURCES, resource('a'), { ...TOOLS, jsonrpc: '2.0', params: { _meta: { a: 1 } } }],
  ...[{ changes: [TOOLS, resource('a')] }, { changes: [] }, { changes: [{}] }, { changes: [TOOLS], x: 1 }],
  ...[{ changes: Array(1_000).fill(TOOLS) }, { changes: Array(1_001).fill(TOOLS) }, { changes: null }],
  ...[null, 5, 'x', [TOOLS], {}, { method: 'x' }, { method: null }, { ...TOOLS, x: 1 }, { ...TOOLS, jsonrpc: '1.0' }],
  ...[
    { ...TOOLS, params: { x: 1 } },
    { ...TOOLS, params: null },
    { ...TOOLS, params: { _meta: 1 } },
  ],
  ...[resource(''), { ...resource('a'), params: {} }, { method: resource('a').method }],
  ...[withTask('working'), withTask('cancelled'), withTask('done'), withTask('completed'), withTask('failed')],
  ...[withTask('completed', { result: {} }), withTask('completed', { result: 1 }), withTask('input_required')],
  ...[withTask('input_required', { inputRequests: {} }), withTask('failed', { error: { code: 1, message: 'x' } })],
  ...[withTask('failed', { error: {} }), withTask('working', { ttlMs: 1.5 }), withTask('working', { more: 1 })],
  ...[
    { ...TOOLS, audience: {} },
    { ...TOOLS, audience: { subjects: [] } },
    { ...TOOLS, audience: { subjects: [''] } },
  ],
];

const DISCONNECTS: readonly unknown[] = [
  ...[{}, { sid: 's' }, { jti: 'j', servers: ['members'] }, { sid: '' }, { jti: 5 }, { servers: [] }, { sids: 's' }],
  ...[null, 'x', [], { servers: 'members' }, { servers: ['members', ''] }, { servers: Array(1_001).fill('members') }],
];

describe('the OpenAPI document', () => {
  let lab: TestPublisher;

  beforeAll(async () => {
    const broker = new OddBroker(async (key) => {
      if (key === keyOf('fault')) throw new Error('a fault of this test');
      if (key === keyOf('outage')) throw new BrokerError('BROKER_UNAVAILABLE', 'an outage of this test');
    });
    lab = await new TestPublisher(broker).start({ auth: { keys }, limits: { changesPerSecond: 200 } });
    lab.authorization = bearer('full').Authorization;
    const thousand = { changes: Array(1_000).fill(TOOLS) };
    for (let n = 0; n < 2; n += 1) expect((await lab.post(thousand, bearer('busy'))).status).toBe(202);
  });
  afterAll(() => lab.close());

  it('is served at /openapi.json, to GET and HEAD', async () => {
    const url = `${lab.publisher.url}/openapi.json`;
    expect(await (await fetch(url)).json()).toEqual(JSON.parse(JSON.stringify(document)));
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    const refused = await fetch(url, { method: 'POST' });
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('documents just the statuses that can be had', () => {
    expect(Object.keys(responses)).toEqual(Object.keys(ASKINGS));
  });

  it.each(Object.entries(ASKINGS))('tells the truth about %s', async (status, { body, headers, server }) => {
    const answer = await lab.post(body, headers, server);
    expect(answer.status).toBe(Number(status));
    const { content } = (responses as Record<string, { content: Record<string, { schema: object }> }>)[status]!;
    const [[type, { schema }]] = Object.entries(content) as [[string, { schema: { $ref: string } }]];
    expect(answer.headers.get('Content-Type')).toBe(type);
    expect(ajv.validate({ $ref: `api${schema.$ref}` }, answer.json), ajv.errorsText()).toBe(true);
  });

  it.each(BODIES.map((body) => [JSON.stringify(body).slice(0, 100), body]))(
    'agrees with the API on %s',
    async (_text, body) => {
      const { status } = await lab.post(body);
      expect([202, 400, 422]).toContain(status);
      expect(fits('Body', body), ajv.errorsText()).toBe(status !== 400);
    },
  );

  it.each(DISCONNECTS.map((body) => [JSON.stringify(body).slice(0, 100), body]))(
    'agrees with the API on the disconnect %s',
    async (_text, body) => {
      const { status, json } = await lab.disconnect('ann', body);
      expect([202, 400]).toContain(status);
      expect(fits('Disconnect', body), ajv.errorsText()).toBe(status === 202);
      expect(fits(status === 202 ? 'DisconnectReceipts' : 'Problem', json), ajv.errorsText()).toBe(true);
    },
  );

  it('documents for a disconnect just what it can be refused with', () => {
    const { responses } = document.paths['/v1/principals/{subject}/disconnect'].post;
    expect(Object.keys(responses)).toEqual(['202', '400', '401', '403', '413', '415', '422', '429', '500', '503']);
    expect(JSON.stringify(responses)).toContain('(no-principals)');
    expect(JSON.stringify(responses)).not.toContain('Idempotency-Key');
  });
});
