import { createHash } from 'node:crypto';
import { type ServiceProcess, startService } from '@listen-gateway/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { campaign } from './campaign.ts';
import { exchange, judge } from './exchange.ts';
import { bodies, headers, mostly, oddJson, oddText } from './parts.ts';
import { rawRequests } from './raw-request.ts';

const KEY = 'lgp_fuzz';

const task = fc.record(
  {
    taskId: mostly(oddText),
    status: mostly(fc.constantFrom('working', 'input_required', 'completed', 'failed', 'cancelled')),
    createdAt: mostly(fc.constant('2026-07-28T10:00:00Z')),
    lastUpdatedAt: mostly(fc.constant('2026-07-28T10:00:00Z')),
    ttlMs: mostly(fc.constant(null)),
    result: oddJson,
  },
  { requiredKeys: ['taskId', 'status', 'createdAt', 'lastUpdatedAt', 'ttlMs'] },
);
const change = fc.oneof(
  fc.record({
    method: mostly(fc.constantFrom('notifications/tools/list_changed', 'notifications/prompts/list_changed'), 20),
  }),
  fc.record({
    method: fc.constant('notifications/resources/updated'),
    params: mostly(fc.record({ uri: mostly(oddText) }), 20),
  }),
  fc.record({ method: fc.constant('notifications/tasks'), params: mostly(task, 20) }),
  fc.record(
    { method: fc.constant('notifications/resources/list_changed'), params: oddJson, audience: oddJson },
    { requiredKeys: ['method'] },
  ),
);
const body = mostly(fc.oneof(change, fc.record({ changes: mostly(fc.array(change, { maxLength: 5 }), 20) })), 20);

const requests = rawRequests({
  method: fc.oneof(
    { weight: 20, arbitrary: fc.constant('POST') },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'OPTIONS', 'HEAD', 'TRACE', 'CONNECT', 'x') },
  ),
  path: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom('/v1/servers/default/changes') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/',
        '*',
        '/openapi.json',
        '/v1',
        '/v1/servers/%/changes',
        '/v1/servers/none/changes',
        '/v1/principals/%00/disconnect',
        '/v1/principals/ann/disconnect',
        'http://[',
      ),
    },
    { weight: 1, arbitrary: fc.webPath().map((path) => `/v1/servers/${path}/changes`) },
  ),
  headers: headers({ Host: 'localhost', 'Content-Type': 'application/json', Authorization: `Bearer ${KEY}` }),
  body: bodies(body),
});

describe('a publisher', () => {
  let publisher: ServiceProcess;

  beforeAll(async () => {
    const sha256 = createHash('sha256').update(KEY).digest('hex');
    publisher = await startService('publisher', {
      LG_LOG__LEVEL: 'warn',
      LG_PUBLISHER__AUTH__KEYS: JSON.stringify([{ id: 'fuzz', sha256 }]),
    });
  });
  afterAll(() => publisher.kill());

  it('answers whatever it is sent, in time and without a fault', { timeout: 400_000 }, async () => {
    await campaign(0.4, requests, async (request) => judge(await exchange(publisher.port, request)));

    expect(await publisher.metric('lg_publish_requests_total{outcome="published"}')).toBeGreaterThan(0);
    expect(await publisher.metric('lg_publish_requests_total{outcome="internal-error"}')).toBe(0);
    expect(await publisher.readiness()).toBe(200);
    expect(publisher.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });
});
