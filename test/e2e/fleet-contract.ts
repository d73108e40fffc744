import { eventually, within } from '@listen-gateway/testkit';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Fleet } from './fleet.ts';
import { FleetHosts } from './fleet-hosts.ts';
import type { Heard, OfficialHost } from './official-host.ts';

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
const A = 'file:///a';
/** Every filter names it where its arrival is to show that nothing more is under way. */
const BARRIER = 'test://barrier';

/** A filter as the host sends it; the client's own type does not know `taskIds`. */
type ListenFilter = Parameters<OfficialHost['client']['listen']>[0];
const ALL_FIVE = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: [A, BARRIER],
  taskIds: ['task-1'],
} as ListenFilter;

/** A drain and a start, on a machine that does much else; so long a test may take, too. */
const RESTART_MS = 90_000;

/** What two instances owe hosts and backends, however they are deployed; the fleet opens before the first test. */
export function fleetContract(name: string, open: () => Promise<Fleet>, openMs: number): void {
  describe(`two instances ${name}`, { timeout: RESTART_MS }, () => {
    let hosts: FleetHosts;
    beforeAll(async () => {
      hosts = new FleetHosts(await open());
    }, openMs);
    afterEach(() => hosts.leave(), RESTART_MS);

    deliveryContract(() => hosts);
    sampleContract(() => hosts);
    restartContract(() => hosts);
  });
}

const tagsOf = (heard: readonly Heard[]) =>
  heard.map(({ method, params }) => {
    const meta = params?._meta as Record<string, unknown> | undefined;
    return [method, meta?.['io.modelcontextprotocol/subscriptionId']];
  });

function deliveryContract(hosts: () => FleetHosts): void {
  it('bring each published kind to exactly the streams that asked, whichever instance holds them (INS-01, P-1.3, P-1.4, P-1.5, SUB-02, SUB-08)', async () => {
    const { fleet } = hosts();
    const all = await hosts().connect();
    const prompts = await hosts().connect();
    const resource = await hosts().connect();
    const subscriptions = await hosts().onEach(1, () => all.client.listen(ALL_FIVE));
    // The client reads the acknowledgement by the core schema, which has no task ids.
    const { taskIds: _unknown, ...core } = ALL_FIVE as Record<string, unknown>;
    for (const { honoredFilter } of subscriptions) expect(honoredFilter).toEqual(core);
    await prompts.client.listen({ promptsListChanged: true, resourceSubscriptions: [BARRIER] });
    await resource.client.listen({ resourceSubscriptions: ['file:///b', BARRIER] });

    const answer = await fleet.publish(TOOLS, PROMPTS, RESOURCES, updated(A), updated('file:///c'), TASKS);
    expect(answer.status).toBe(202);
    expect(answer.receipts.map(({ instances }) => instances)).toEqual([2, 2, 2, 2, 2, 2]);
    await all.hears(5 * subscriptions.length);
    await prompts.hears(1);
    await fleet.publish(updated(BARRIER));
    await Promise.all([all.hears(6 * subscriptions.length), prompts.hears(2), resource.hears(1)]);

    const kinds = [TOOLS, PROMPTS, RESOURCES, updated(A), TASKS, updated(BARRIER)].map(({ method }) => method);
    for (const [index] of subscriptions.entries()) {
      const id = `listen:${index}`;
      expect(tagsOf(all.heard).filter(([, tag]) => tag === id)).toEqual(kinds.map((method) => [method, id]));
    }
    expect(all.heard.find(({ method }) => method === TASKS.method)?.params).toMatchObject(TASK);
    expect(tagsOf(prompts.heard)).toEqual([
      [PROMPTS.method, 'listen:0'],
      ['notifications/resources/updated', 'listen:0'],
    ]);
    expect(resource.heard.map(({ params }) => params?.uri)).toEqual([BARRIER]);
  });

  it('release a stream at once when the client closes it, and answer its cancelled notification (P-1.7, SUB-09)', async () => {
    const host = await hosts().connect();
    const subscription = await host.client.listen({ toolsListChanged: true });

    await subscription.close();

    expect(await subscription.closed).toBe('local');
    await eventually(5_000, 'no open stream', async () => (await hosts().held()).every((streams) => streams === 0));
  });
}

function sampleContract(hosts: () => FleetHosts): void {
  it('open the automatic stream of the official client, because discover announces the changes (P-2.12)', async () => {
    const refreshed: string[] = [];
    const host = await hosts().connect({
      listChanged: {
        tools: { autoRefresh: false, onChanged: () => void refreshed.push('tools') },
        prompts: { autoRefresh: false, onChanged: () => void refreshed.push('prompts') },
      },
    });
    expect(host.client.autoOpenedSubscription?.honoredFilter).toEqual({
      toolsListChanged: true,
      promptsListChanged: true,
    });

    await hosts().fleet.publish(TOOLS);
    await eventually(10_000, 'the tools handler', () => refreshed.includes('tools'));
    expect(refreshed).toEqual(['tools']);
  });

  it('let it list and call at the server behind them, be told of the change it made, and list again (P-2.12, SUB-07)', async () => {
    const told: string[] = [];
    const host = await hosts().connect({
      listChanged: { tools: { autoRefresh: false, onChanged: () => void told.push('tools') } },
    });
    expect(host.client.getServerVersion()?.name).toBe('listen-gateway-sample');
    const streams = await hosts().onEach(1, () => hosts().listen());
    const names = async () => (await host.client.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain('of-today');

    await host.client.callTool({ name: 'add_tool', arguments: { name: 'of-today' } });

    await eventually(10_000, 'the client to be told', () => told.length === 1);
    expect(await names()).toContain('of-today');
    for (const stream of streams) expect((await stream.next('the change')).method).toBe(TOOLS.method);
  });
}

function restartContract(hosts: () => FleetHosts): void {
  it('lose nothing when one is restarted: its streams end with the result, the others go on, and it is taken back (P-1.8, FIELD C21, F1)', async () => {
    const { fleet } = hosts();
    const [leaving] = fleet.instances;
    const streams = await hosts().onEach(2, () => hosts().listen());
    const over = new Set<unknown>();
    for (const stream of streams) void stream.ended.then(() => over.add(stream));
    const leave = await leaving.streams();

    const restarted = leaving.restart();
    await within(RESTART_MS, 'the first end', Promise.race(streams.map(({ ended }) => ended)));
    // As its host does now: it finds the other instance.
    const again = await hosts().listen();
    expect(await restarted).toBe(0);

    expect(over.size).toBe(leave);
    for (const [id, stream] of streams.entries()) {
      if (!over.has(stream)) continue;
      expect(await stream.ended).toBe('complete');
      expect(stream.messages).toHaveLength(2);
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      expect(stream.messages[1]).toMatchObject({ id, result: { resultType: 'complete', _meta } });
    }
    const newcomers = await hosts().onEach(1, () => hosts().listen());
    expect(newcomers.length, 'it takes streams again').toBeGreaterThan(0);
    await fleet.publish(TOOLS);
    for (const stream of [again, ...newcomers, ...streams.filter((one) => !over.has(one))]) {
      expect((await stream.next('a change', 10_000)).method).toBe(TOOLS.method);
    }
  });

  it('keep their streams when Redis loses all that it knew, tell each of everything once more and go on (FIELD E1)', async () => {
    const { fleet } = hosts();
    const filter = { resourceSubscriptions: [A, BARRIER] };
    const streams = await hosts().onEach(1, () => hosts().listen({ filter }));
    await fleet.publish(updated(A));
    for (const stream of streams) expect((await stream.next('the change')).params?.uri).toBe(A);

    await fleet.restartRedis();

    const takes = async () => (await fleet.publish(updated(BARRIER))).status === 202;
    await eventually(20_000, 'the publisher to take a change', takes);
    for (const stream of streams) {
      const heard = () => new Set(stream.messages.slice(2).map(({ params }) => params?.uri));
      // Nobody can know whether something was accepted just before.
      await eventually(20_000, 'both resources', () => heard().size === 2);
    }
  });
}
