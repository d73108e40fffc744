import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTALL_MS } from './ensure-program.ts';
import { openRedisProcess, RedisProcess } from './redis-process.ts';
import { ensureRedis } from './redis-program.ts';

describe('a redis process', () => {
  let redis: RedisProcess;
  beforeAll(async () => {
    redis = await openRedisProcess({ args: ['--maxclients', '50'] });
  }, INSTALL_MS);
  afterAll(() => redis.close());

  it('answers commands of every reply kind, and takes its arguments', async () => {
    expect(await redis.cli('SET', 'k', 'é')).toBe('OK');
    expect(await redis.cli('GET', 'k')).toBe('é');
    expect(await redis.cli('GET', 'nothing')).toBe(null);
    expect(await redis.cli('INCR', 'n')).toBe(1);
    expect(await redis.cli('CONFIG', 'GET', 'maxclients')).toEqual(['maxclients', '50']);
    await expect(redis.cli('INCR', 'k')).rejects.toThrow('not an integer');
    expect(await redis.cli('SET', 'bytes', Buffer.from([0xff, 0x00]))).toBe('OK');
    expect(await redis.cli('STRLEN', 'bytes')).toBe(2);
  });

  it('keeps its data over a stop, and loses it when told to', async () => {
    await redis.cli('SET', 'kept', 'yes');
    await redis.restart({ keepData: true });
    expect(await redis.cli('GET', 'kept')).toBe('yes');
    await redis.restart({ keepData: false });
    expect(await redis.cli('GET', 'kept')).toBe(null);
  });

  it('is no other that has taken its port', async () => {
    const { port } = redis;
    const program = await ensureRedis('redis');
    const late = new RedisProcess({
      program,
      dir: tmpdir(),
      port,
      args: ['--port', String(port), '--bind', '127.0.0.1'],
    });
    await expect(late.start()).rejects.toThrow('redis-server ended with 1');
  });

  it('answers nothing while it is frozen, and goes on afterwards', async () => {
    redis.pause();
    const answer = redis.cli('PING');
    let answered = false;
    void answer.then(() => {
      answered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    redis.resume();
    expect(await answer).toBe('PONG');
  });
});
