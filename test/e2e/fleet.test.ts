import { eventually, openListen, startService, within } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, openFleet } from './fleet.ts';
import { type Heard, OfficialHost } from './official-host.ts';

const TASK = {
  taskId: 'task-1',
  status: 'completed',
  createdAt: '2026-11-30T00:00:00Z',
  lastUpdatedAt: '2026-11-30T00:00:01Z',
  ttlMs: null,
  result: { content: [{ type: 'text', text: 'done' }] },
};
const TOOLS = { method: 'notifications/tools/list_changed' };
const PROMPTS = { method: 'notifications/prompts/list_changed' };
const RESOURCES = { method: 'notifications/resources/list_changed' };
const updated = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } });
const TASKS = { method: 'notifications/tasks', params: TASK };
/** Every filter of these tests names it, so that its arrival shows that nothing more is under way. */
const BARRIER = 'test://barrier';

/** A filter as the host sends it; the client's own type does not know `taskIds`. */
type ListenFilter = Parameters<OfficialHost['client']['listen']>[0];
const ALL_FIVE = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['file:///a', BARRIER],
  taskIds: ['task-1'],
} as ListenFilter;

let fleet: Fleet;
const hosts: OfficialHost[] = [];

beforeAll(async () => {
  fleet = await openFleet({ LG_DRAIN__WINDOW_MS: '500' });
}, 300_000);
afterAll(() => fleet.close());
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.client.close();
  for (const gateway of fleet.gateways) await open(gateway, 0);
});

const connect = async (...args: Parameters<typeof OfficialHost.connect>) => {
  const host = await OfficialHost.connect(...args);
  hosts.push(host);
  return host;
};
const open = (gateway: Fleet['gateways'][0], streams: number) =>
  eventually(5_000, `${streams} open streams`, async () => (await gateway.metric('lg_streams_open')) === streams);
const ids = (heard: readonly Heard[]) =>
  heard.map(({ method, params }) => {
    const meta = params?._meta as Record<string, unknown> | undefined;
    return [method, meta?.['io.modelcontextprotocol/subscriptionId']];
  });

describe('two instances behind nginx', () => {
  it('bring each published kind to exactly the streams that asked, whichever instance holds them (INS-01, P-1.3, P-1.4, P-1.5, SUB-02, SUB-08)', async () => {
    const all = await connect(fleet.url);
    const prompts = await connect(fleet.url);
    const resource = await connect(fleet.url);
    const subscription = await all.client.listen(ALL_FIVE);
    // The client reads the acknowledgement by the core schema, which has no task ids.
    const { taskIds: _unknown, ...core } = ALL_FIVE as Record<string, unknown>;
    expect(subscription.honoredFilter).toEqual(core);
    await all.client.listen(ALL_FIVE);
    await prompts.client.listen({ promptsListChanged: true, resourceSubscriptions: [BARRIER] });
    await resource.client.listen({ resourceSubscriptions: ['file:///b', BARRIER] });
    for (const gateway of fleet.gateways) {
      expect(await gateway.metric('lg_streams_open'), 'round robin leaves no instance empty').toBeGreaterThan(0);
    }

    const answer = await fleet.publish(TOOLS, PROMPTS, RESOURCES, updated('file:///a'), updated('file:///c'), TASKS);
    expect(answer.status).toBe(202);
    expect(answer.receipts.map(({ instances }) => instances)).toEqual([2, 2, 2, 2, 2, 2]);
    await all.hears(10);
    await prompts.hears(1);
    await fleet.publish(updated(BARRIER));
    await Promise.all([all.hears(12), prompts.hears(2), resource.hears(1)]);

    const kinds = [TOOLS, PROMPTS, RESOURCES, updated(''), TASKS, updated('')].map(({ method }) => method);
    for (const id of ['listen:0', 'listen:1']) {
      expect(ids(all.heard).filter(([, heardId]) => heardId === id)).toEqual(kinds.map((method) => [method, id]));
    }
    expect(all.heard.find(({ method }) => method === TASKS.method)?.params).toMatchObject(TASK);
    expect(ids(prompts.heard)).toEqual([
      [PROMPTS.method, 'listen:0'],
      ['notifications/resources/updated', 'listen:0'],
    ]);
    expect(resource.heard.map(({ params }) => params?.uri)).toEqual([BARRIER]);
  });

  it('open the automatic stream of the official client, because discover announces the changes (P-2.12)', async () => {
    const refreshed: string[] = [];
    const host = await connect(fleet.url, {
      listChanged: {
        tools: { autoRefresh: false, onChanged: () => void refreshed.push('tools') },
        prompts: { autoRefresh: false, onChanged: () => void refreshed.push('prompts') },
      },
    });
    expect(host.client.autoOpenedSubscription?.honoredFilter).toEqual({
      toolsListChanged: true,
      promptsListChanged: true,
    });

    await fleet.publish(TOOLS);
    await eventually(5_000, 'the tools handler', () => refreshed.includes('tools'));
    expect(refreshed).toEqual(['tools']);
  });

  it('release a stream at once when the client closes it, and answer its cancelled notification (P-1.7, SUB-09)', async () => {
    const host = await connect(fleet.url);
    const subscription = await host.client.listen({ toolsListChanged: true });

    await subscription.close();

    expect(await subscription.closed).toBe('local');
    for (const gateway of fleet.gateways) await open(gateway, 0);
  });

  it('deliver a change published while an instance is cut off from Redis after it is back, exactly once (FIELD E1, E3)', async () => {
    const streams = await Promise.all(
      fleet.gateways.map((gateway) =>
        openListen(`${gateway.url}/mcp`, { filter: { resourceSubscriptions: ['file:///a', BARRIER] } }),
      ),
    );
    for (const stream of streams) await stream.next('the acknowledgement');

    const [cut, whole] = streams;

    for (let round = 1; round <= 3; round += 1) {
      fleet.relays[0].cut();
      const { status, receipts } = await fleet.publish(updated('file:///a'));
      expect(status).toBe(202);
      expect(receipts[0]?.instances, 'the instance that is cut off does not hear of it').toBe(1);
      expect((await whole?.next('the change on the other instance'))?.params?.uri).toBe('file:///a');
      fleet.relays[0].restore();
      expect((await cut?.next(`the change published at cut ${round}`))?.params?.uri).toBe('file:///a');
    }
    await fleet.publish(updated(BARRIER));
    for (const stream of streams) {
      expect((await stream.next('the barrier')).params?.uri, 'nothing twice').toBe(BARRIER);
      stream.close();
    }
  });

  it('lose nothing when one is told to stop: its streams end with the result, the others go on (P-1.8, FIELD C21, F1)', async () => {
    const leaving = await startService('gateway', { LG_BROKER__URL: fleet.redis.url, LG_DRAIN__WINDOW_MS: '500' });
    const ends = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        openListen(`${leaving.url}/mcp`, { id: index, filter: { toolsListChanged: true } }),
      ),
    );
    const stays = await openListen(`${fleet.gateways[0].url}/mcp`, { filter: { toolsListChanged: true } });
    await stays.next('the acknowledgement');

    leaving.signal('SIGTERM');

    for (const [index, stream] of ends.entries()) {
      expect(await within(10_000, 'the end of the stream', stream.ended)).toBe('complete');
      expect(stream.messages).toHaveLength(2);
      expect(stream.messages[1]).toMatchObject({
        id: index,
        result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': index } },
      });
    }
    expect(await leaving.ended()).toBe(0);
    await fleet.publish(TOOLS);
    expect((await stays.next('a change on the other instance')).method).toBe(TOOLS.method);
    stays.close();
  });
});
