import { describe, expect, it } from 'vitest';
import { connectionOptions, seeds } from './connection-options.ts';
import { redisSettings } from './redis-options.ts';

describe('the options of a connection', () => {
  it('are those in the URL, unescaped', () => {
    const options = connectionOptions(redisSettings({ url: 'redis://us%40er:p%2Fw@r:6380/3' }));
    expect(options).toMatchObject({ host: 'r', port: 6380, username: 'us@er', password: 'p/w', db: 3 });
    expect(options.tls).toBeUndefined();
    expect(connectionOptions(redisSettings({ url: 'redis://[::1]' }))).toMatchObject({ host: '::1', port: 6379 });
  });

  it('take user and password from beside the URL first', () => {
    const settings = redisSettings({ url: 'redis://a:b@r', username: 'c', password: 'd' });
    expect(connectionOptions(settings)).toMatchObject({ username: 'c', password: 'd' });
  });

  it('name a master and its sentinels, who have secrets of their own', () => {
    const options = connectionOptions(
      redisSettings({
        url: 'rediss://:secret@My_Master',
        mode: 'sentinel',
        nodes: ['s1:26380', 's2', '[::1]'],
        sentinel: { password: 'other' },
        tls: { serverName: 'redis.test' },
      }),
    );
    expect(options).toMatchObject({
      name: 'My_Master',
      password: 'secret',
      sentinelPassword: 'other',
      sentinels: [
        { host: 's1', port: 26_380 },
        { host: 's2', port: 26_379 },
        { host: '::1', port: 26_379 },
      ],
      tls: { servername: 'redis.test' },
      sentinelTLS: { servername: 'redis.test' },
      enableTLSForSentinelMode: true,
    });
    expect(options.host).toBeUndefined();
  });

  it('lead to a node of a cluster with the secrets of all', () => {
    const settings = redisSettings({ url: 'redis://u:p@n1:7000', mode: 'cluster', nodes: ['n2:7001', 'n3'] });
    expect(connectionOptions(settings, { host: 'n9', port: 7009 })).toMatchObject({
      host: 'n9',
      port: 7009,
      username: 'u',
    });
    expect(seeds(settings)).toEqual([
      { host: 'n1', port: 7000 },
      { host: 'n2', port: 7001 },
      { host: 'n3', port: 6379 },
    ]);
  });
});
