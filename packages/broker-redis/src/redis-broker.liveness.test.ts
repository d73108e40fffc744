import {
  freshServerId,
  INSTALL_MS,
  numbered,
  openRedisProcess,
  RecordingListener,
  type RedisProcess,
  redisClients,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { publishNumbered, TestBrokers, untilDown, untilReady } from '../test/test-brokers.ts';

/** What is promised of an instance that is set up with the defaults; a demoted and a frozen master have their own test. */
const NOTICED_MS = 10_000;

let redis: RedisProcess;
let brokers: TestBrokers;

beforeAll(async () => {
  redis = await openRedisProcess();
  brokers = await TestBrokers.on(redis);
}, INSTALL_MS);

afterAll(async () => {
  await brokers.close();
  await redis.close();
});

describe.concurrent('the redis broker, within 10 s by default', { timeout: 40_000 }, () => {
  it.each([
    ['connections pass', ['commands', 'receive']],
    ['receive connection passes', ['receive']],
    ['commands connection passes', ['commands']],
  ] as const)('notices that its %s nothing on any more, and tells what was missed (FIELD E1)', async (_, roles) => {
    const name = `half-open-${freshServerId()}`;
    const instance = brokers.instance({ name });
    const serverId = freshServerId();
    const listener = new RecordingListener();
    await instance.attach(serverId, listener);
    await untilReady(instance);
    const clients = await redisClients(redis, name);
    const meant = clients.filter((client) => roles.some((role) => client.name.endsWith(role)));
    brokers.relay.freeze(meant.map(({ port }) => port));
    await untilDown(instance, NOTICED_MS);
    await publishNumbered(brokers.publisher(), serverId, 1, 2);
    await listener.until(NOTICED_MS, 'what was missed', ({ uris }) => uris.includes(numbered(2).uri));
  });

  it.each([
    ['subscribe', ['resetchannels'], ['allchannels']],
    ['publish, which tries the way of a change', ['-publish'], ['+publish']],
    ['run scripts', ['-eval', '-evalsha'], ['+eval', '+evalsha']],
    ['read journals', ['-xrange'], ['+xrange']],
    ['see the journals', ['resetkeys'], ['allkeys']],
  ])('notices that it has lost the right to %s, and that it has it again (FIELD E14)', async (_, take, give) => {
    const user = freshServerId();
    await redis.cli('ACL', 'SETUSER', user, 'on', '>secret', '~*', '&*', '+@all');
    const instance = brokers.publisher({ username: user, password: 'secret' });
    await untilReady(instance);
    await redis.cli('ACL', 'SETUSER', user, ...take);
    await untilDown(instance, NOTICED_MS);
    await redis.cli('ACL', 'SETUSER', user, ...give);
    await untilReady(instance);
  });

  it('notices that its user was deleted, and made again (FIELD E14)', async () => {
    const user = freshServerId();
    const make = () => redis.cli('ACL', 'SETUSER', user, 'on', '>secret', '~*', '&*', '+@all');
    await make();
    const instance = brokers.publisher({ username: user, password: 'secret' });
    await untilReady(instance);
    await redis.cli('ACL', 'DELUSER', user);
    await untilDown(instance, NOTICED_MS);
    await make();
    await untilReady(instance);
  });
});
