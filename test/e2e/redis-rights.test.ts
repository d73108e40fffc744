import {
  eventually,
  INSTALL_MS,
  openListen,
  openRedisProcess,
  type RedisProcess,
  type ServiceProcess,
  startService,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const USER = ['ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', '+@all'];

let redis: RedisProcess;
let gateway: ServiceProcess;

beforeAll(async () => {
  redis = await openRedisProcess();
  await redis.cli(...USER, 'resetchannels', '&*:probe');
  const url = redis.url.replace('//', '//limited:secret@');
  gateway = await startService('gateway', { LG_BROKER__URL: url });
}, INSTALL_MS);

afterAll(async () => {
  await gateway?.kill();
  await redis?.close();
});

describe('an instance whose user may not subscribe to channels of servers', () => {
  it('refuses listens, is not ready and says in its log what to look at, until it may (FIELD E14)', async () => {
    const refused = await openListen(`${gateway.url}/mcp`);
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toMatch(/^[1-5]$/);
    expect(await gateway.readiness()).toBe(503);
    expect(gateway.log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        channel: 'lg:1:{default}:changes',
        msg: 'broker refuses the channel; check the ACL of its user',
      }),
    );
    expect(gateway.output, 'no secret in the log').not.toContain('secret');

    await redis.cli(...USER, '&*');
    await eventually(10_000, 'the instance to be ready', async () => (await gateway.readiness()) === 200);
    const stream = await openListen(`${gateway.url}/mcp`);
    expect(stream.status).toBe(200);
    stream.close();
  });
});
