import {
  eventually,
  type ListenAnswer,
  openListen,
  openRedisProcess,
  type RedisProcess,
  type ServiceProcess,
  startService,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('two instances', () => {
  let redis: RedisProcess;
  let instances: readonly ServiceProcess[];
  const streams: ListenAnswer[] = [];

  beforeAll(async () => {
    redis = await openRedisProcess();
    const env = { LG_BROKER__URL: redis.url, LG_LIMITS__STREAMS_PER_ADDRESS: '4' };
    instances = await Promise.all([startService('gateway', env), startService('gateway', env)]);
    await eventually(
      10_000,
      'both to count together',
      async () => Number(await redis.cli('ZCARD', 'lg:1:{streams}:instances')) === 2,
    );
  });
  afterAll(async () => {
    for (const stream of streams) stream.close();
    for (const instance of instances) await instance.kill();
    await redis.close();
  });

  const listen = async (at: number): Promise<number> => {
    const stream = await openListen(`${instances[at]?.url}/mcp`);
    streams.push(stream);
    return stream.status;
  };

  it('bound the streams of an address together, and forget those of an instance that was killed (FIELD C34)', async () => {
    expect([await listen(0), await listen(0), await listen(0), await listen(1)]).toEqual([200, 200, 200, 200]);
    expect([await listen(0), await listen(1)]).toEqual([429, 429]);

    await instances[0]?.kill();

    await eventually(20_000, 'the places of the killed instance', async () => (await listen(1)) === 200);
    expect([await listen(1), await listen(1), await listen(1)]).toEqual([200, 200, 429]);
    expect(await instances[1]?.metric('lg_streams_open')).toBe(4);
  });

  it('serve within their own limit while Redis keeps no counts', async () => {
    // Only the counts are away: without the broker no listen is served anyway.
    await redis.cli('DEL', 'lg:1:{streams}:instances');
    streams.at(-2)?.close();
    await eventually(5_000, 'the place', async () => (await listen(1)) === 200);
    expect(await listen(1)).toBe(429);
  });
});
