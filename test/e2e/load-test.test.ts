import {
  eventually,
  openRedisProcess,
  type RedisProcess,
  type ServiceProcess,
  startService,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runLoadTool as run } from './load-tool.ts';

const FLAGS = ['--streams=50', '--rate=2', '--seconds=2', '--opens-per-second=100'];
/** Far above what a busy machine needs; all that arrives sooner ends the test sooner. */
const PATIENT = '--within-ms=30000';

let redis: RedisProcess;
let elsewhere: RedisProcess;
let gateway: ServiceProcess;
let publisher: ServiceProcess;
let stray: ServiceProcess;

beforeAll(async () => {
  [redis, elsewhere] = [await openRedisProcess(), await openRedisProcess()];
  gateway = await startService('gateway', { LG_BROKER__URL: redis.url, LG_LIMITS__STREAMS_PER_ADDRESS: '50' });
  publisher = await startService('publisher', { LG_BROKER__URL: redis.url });
  stray = await startService('publisher', { LG_BROKER__URL: elsewhere.url });
}, 300_000);
afterAll(async () => {
  await Promise.all([gateway.kill(), publisher.kill(), stray.kill()]);
  await Promise.all([redis.close(), elsewhere.close()]);
});

const at = (to: ServiceProcess) => [`--gateway=${gateway.url}`, `--publisher=${to.url}`];
const noStreamsLeft = () =>
  eventually(10_000, 'the streams to be closed', async () => (await gateway.metric('lg_streams_open')) === 0);

describe('npm run bench:load', { timeout: 120_000 }, () => {
  it('is content where every host hears of every change', async () => {
    const { exitCode, output } = await run([...at(publisher), ...FLAGS, PATIENT]);

    expect(output).toContain('4 published, 2 a second; 0 refused');
    expect(output).toContain('200 delivered, 0 missed');
    expect(output).toMatch(/publish to host {3}p50 \d+\.\d ms, p99/);
    expect(exitCode).toBe(0);
    await noStreamsLeft();
  });

  it('tells of what was missed, and likely why, where the publisher has another Redis', async () => {
    const { exitCode, output } = await run([...at(stray), ...FLAGS, '--within-ms=1000']);

    expect(output).toContain('0 delivered, 200 missed within 1000 ms');
    expect(output).toContain('4 changes reached no instance although hosts listen');
    expect(exitCode).toBe(1);
    await noStreamsLeft();
  });

  it('tells of streams that ended under it', async () => {
    const leaving = await startService('gateway', { LG_BROKER__URL: redis.url });
    const flags = [
      `--gateway=${leaving.url}`,
      `--publisher=${publisher.url}`,
      '--streams=5',
      '--rate=2',
      '--seconds=6',
    ];
    const running = run([...flags, PATIENT]);
    await eventually(
      60_000,
      'a change',
      async () => (await leaving.metric('lg_notifications_total{kind="resource"}')) > 0,
    );
    leaving.signal('SIGTERM');

    const { exitCode, output } = await running;

    expect(output).toContain('5 ended early (5 with the result, 0 cut)');
    expect(exitCode).toBe(1);
    expect(await leaving.ended()).toBe(0);
  });

  it('gives up with what the gateway said where it refuses a listen', async () => {
    const { exitCode, output } = await run([...at(publisher), '--streams=60', '--opens-per-second=100']);

    expect(output).toMatch(/could not be run: the gateway answered 429: .*address-full/);
    expect(exitCode).toBe(2);
    await noStreamsLeft();
  });

  it('gives up before the first stream where the machine has too few open files', async () => {
    const { exitCode, output } = await run([...at(publisher), '--streams=500'], 'ulimit -n 256;');

    expect(output).toContain('500 need 564 open files, this process may have 256: ulimit -n 564');
    expect(exitCode).toBe(2);
  });

  it('says all that is wrong with its arguments, each by its name', async () => {
    const { exitCode, output } = await run(['--gateway=gateway:8080', '--streams=many', '--token-file=/none']);

    const named = [/^--gateway: gateway:8080 is no http/m, /^--publisher: is needed/m, /^--streams: must be a whole/m];
    for (const problem of [...named, /^--token-file: ENOENT/m]) expect(output).toMatch(problem);
    expect(exitCode).toBe(2);
  });

  it('refuses a rate at which changes would share a URI before they are judged', async () => {
    const { exitCode, output } = await run([...at(publisher), '--rate=500']);

    expect(output).toMatch(/^--rate: times --within-ms must stay below 1000 changes/m);
    expect(exitCode).toBe(2);
  });
});
