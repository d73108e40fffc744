import { INSTALL_MS, openListen, startService, within } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fleetContract } from './fleet-contract.ts';
import { openFleet, type ProcessFleet } from './process-fleet.ts';

const TOOLS = { method: 'notifications/tools/list_changed' };
const updated = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } });
/** Its arrival shows that nothing more is under way. */
const BARRIER = 'test://barrier';

let fleet: ProcessFleet;

beforeAll(async () => {
  fleet = await openFleet({ env: { LG_DRAIN__WINDOW_MS: '500' }, sample: true });
}, INSTALL_MS);
afterAll(() => fleet.close());

fleetContract('that are processes behind nginx', async () => fleet, INSTALL_MS);

describe('two instances behind nginx', () => {
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
