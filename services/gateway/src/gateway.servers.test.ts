import type { ServerId } from '@listen-gateway/protocol';
import { listenBody, openListen } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { openGateway } from '../test/test-gateway.ts';

const A = 'acme-a' as ServerId;
const B = 'acme-b' as ServerId;
const servers = {
  [A]: {},
  [B]: {
    name: 'acme',
    title: 'Acme B',
    version: '4.5.6',
    instructions: 'Ask before you delete.',
    capabilities: { prompts: false, resources: { listChanged: false }, tasks: false },
  },
};

/** Asks a server what it announces. */
async function discover(url: string) {
  const { params } = JSON.parse(listenBody('D1', {}));
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'D1', method: 'server/discover', params: { _meta: params._meta } });
  const answer = await openListen(url, { body, headers: { 'Mcp-Method': 'server/discover' } });
  const json = await answer.json();
  return { answer, json };
}

describe('two servers on one instance', () => {
  it('share nothing: each stream hears of its own, whatever the ids (P-1.6, INS-01, FIELD A6)', async () => {
    const gateway = await openGateway({ servers });
    const filter = { toolsListChanged: true, resourceSubscriptions: ['file:///a'] };
    const [a, b] = [
      await gateway.open({ filter }, `${gateway.url}/${A}`),
      await gateway.open({ filter }, `${gateway.url}/${B}`),
    ];

    await gateway.publish([{ kind: 'tools' }, { kind: 'resource', uri: 'file:///a' }], A);
    await a.received(3);
    await gateway.publish({ kind: 'tools' }, B);
    await b.received(2);
    expect(b.messages.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ]);
  });

  it('are attached while they have streams, and only then (INS-01)', async () => {
    const gateway = await openGateway({ servers });
    const attached = () => [gateway.broker.attached(A), gateway.broker.attached(B)];
    expect(attached()).toEqual([0, 0]);
    const streams = [await gateway.open({}, `${gateway.url}/${A}`), await gateway.open({}, `${gateway.url}/${A}`)];
    expect(attached(), 'one attach serves all streams of a server').toEqual([1, 0]);
    streams[0]?.close();
    await gateway.holds(1);
    expect(attached()).toEqual([1, 0]);
    streams[1]?.close();
    await gateway.holds(0);
    expect(attached()).toEqual([0, 0]);
  });

  it('need no server called default', async () => {
    const gateway = await openGateway({ servers });
    expect((await openListen(gateway.url)).status).toBe(404);
  });
});

describe('server/discover', () => {
  it('announces all changes of a server of which nothing is configured (P-2.12)', async () => {
    const gateway = await openGateway();
    for (const path of ['', '/default']) {
      const { answer, json } = await discover(`${gateway.url}${path}`);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
      expect(json).toMatchObject({
        jsonrpc: '2.0',
        id: 'D1',
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: {
            tools: { listChanged: true },
            prompts: { listChanged: true },
            resources: { listChanged: true, subscribe: true },
            extensions: { 'io.modelcontextprotocol/tasks': {} },
          },
          ttlMs: expect.any(Number),
          cacheScope: 'public',
        },
      });
    }
  });

  it('announces what is configured, and a listen is granted just that (P-1.3, P-2.12, SUB-03)', async () => {
    const gateway = await openGateway({ servers });
    const { json } = await discover(`${gateway.url}/${B}`);
    expect(json.result).toMatchObject({
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      instructions: 'Ask before you delete.',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'acme', title: 'Acme B', version: '4.5.6' } },
    });
    expect(json.result?.capabilities).not.toHaveProperty('prompts');

    const filter = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['file:///a'],
      taskIds: ['t'],
    };
    const stream = await gateway.open({ filter }, `${gateway.url}/${B}`);
    expect(stream.messages[0]?.params?.notifications).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['file:///a'],
    });
  });
});
