import { eventually, INSTALL_MS, type ListenAnswer, openListen } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackedInstance, openBackedInstance } from './backed-instance.ts';

const TOOLS = { method: 'notifications/tools/list_changed' };
const MIB = 1_048_576;

let instance: BackedInstance;

beforeAll(async () => {
  instance = await openBackedInstance({
    LG_BROKER__LINGER_MS: '200',
    LG_LOG__LEVEL: 'warn',
  });
}, INSTALL_MS);
afterAll(() => instance.close());

const metric = (series: string) => instance.gateway.metric(series);
const streamsOpen = (count: number) =>
  eventually(10_000, `${count} open streams`, async () => (await metric('lg_streams_open')) === count);

async function openMany(count: number, filterOf: (index: number) => object): Promise<readonly ListenAnswer[]> {
  const streams: ListenAnswer[] = [];
  while (streams.length < count) {
    const batch = Array.from({ length: 50 }, (_, index) =>
      openListen(`${instance.gateway.url}/mcp`, {
        id: streams.length + index,
        filter: filterOf(streams.length + index),
      }),
    );
    streams.push(...(await Promise.all(batch)));
  }
  await streamsOpen(count);
  return streams;
}

describe('an instance on Redis', () => {
  it('gives back every descriptor and channel when 2000 hosts with URIs of their own leave by RST (INS-01, SUB-09, FIELD C13, C38)', async () => {
    const channels = () => instance.redis.cli('PUBSUB', 'CHANNELS', '*changes');
    const round = async (name: string) => {
      const streams = await openMany(1_000, (index) => ({
        resourceSubscriptions: [`${name}-${index}-${'x'.repeat(1_000)}`],
      }));
      expect(await channels()).toHaveLength(1);
      for (const stream of streams) stream.reset();
      await streamsOpen(0);
      await eventually(10_000, 'the channel to be left', async () => ((await channels()) as unknown[]).length === 0);
      return metric('lg_process_open_fds');
    };
    const first = await round('first');
    const second = await round('second');
    expect(second - first, 'of 1000 descriptors a round').toBeLessThan(50);
  });

  it('holds no more for hosts that read nothing than their filters say, and serves the others (FIELD C35)', async () => {
    const uris = Array.from({ length: 100 }, (_, index) => `file:///${index}`.padEnd(8_000, 'x'));
    const stalled = await openMany(50, () => ({ resourceSubscriptions: uris }));
    const other = await openListen(`${instance.gateway.url}/mcp`);
    await other.next('the acknowledgement');
    for (const stream of stalled) stream.pause();
    const before = await metric('lg_process_resident_memory_bytes');

    let most = 0;
    for (let round = 1; round <= 30; round += 1) {
      await instance.publish(...uris.map((uri) => ({ method: 'notifications/resources/updated', params: { uri } })));
      await instance.publish(TOOLS);
      await other.received(round + 1);
      most = Math.max(most, await metric('lg_process_resident_memory_bytes'));
    }
    expect(most - before, '3000 changes for each host would be 1.2 GB').toBeLessThan(300 * MIB);
    expect(await metric('lg_streams_open'), 'none was dropped, which would bound it too').toBe(51);
    other.close();
    for (const stream of stalled) stream.close();
    await streamsOpen(0);
    expect(instance.gateway.log.filter(({ level }) => level === 'error')).toEqual([]);
  }, 60_000);
});
