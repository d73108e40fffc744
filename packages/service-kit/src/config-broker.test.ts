import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from './config.ts';
import { brokerConfig } from './config-broker.ts';

const schema = z.strictObject({ broker: brokerConfig });

function load(env: Record<string, string>, files: Record<string, string> = {}) {
  return loadConfig(schema, { argv: [], env, readFile: (path) => files[path] ?? '' });
}

describe('the settings of the broker', () => {
  it('are those of the memory broker unless told otherwise', () => {
    expect(load({})).toMatchObject({ ok: true, config: { broker: { url: 'memory:', mode: 'standalone', nodes: [] } } });
  });

  it('take nodes as a list, and a password and the name of a certificate from files and text', () => {
    const env = {
      LG_BROKER__URL: 'rediss://gateway@listen-gateway',
      LG_BROKER__MODE: 'sentinel',
      LG_BROKER__NODES: 's1:26379,s2,[::1]:26381',
      LG_BROKER__PASSWORD_FILE: '/run/secrets/redis',
      LG_BROKER__SENTINEL__PASSWORD_FILE: '/run/secrets/sentinel',
      LG_BROKER__TLS__CA_FILE: '/etc/tls/ca.crt',
    };
    const files = { '/run/secrets/redis': 'one\n', '/run/secrets/sentinel': 'other' };
    expect(load(env, files)).toMatchObject({
      ok: true,
      config: {
        broker: {
          nodes: ['s1:26379', 's2', '[::1]:26381'],
          password: 'one',
          sentinel: { password: 'other' },
          tls: { caFile: '/etc/tls/ca.crt' },
        },
      },
    });
  });

  it.each([
    [{ LG_BROKER__MODE: 'cluster' }, 'broker.url: names no Redis'],
    [{ LG_BROKER__MODE: 'sentinel', LG_BROKER__URL: 'redis://m' }, 'broker.nodes: must name at least one sentinel'],
    [{ LG_BROKER__URL: 'redis://r', LG_BROKER__NODES: 'r2:6379' }, 'broker.nodes: is for the modes'],
    [
      { LG_BROKER__URL: 'redis://r', LG_BROKER__MODE: 'cluster', LG_BROKER__NODES: 'redis://r2' },
      'must be host or host:',
    ],
    [{ LG_BROKER__URL: 'redis://r:6379/3', LG_BROKER__MODE: 'cluster' }, 'a cluster has database 0 alone'],
    [{ LG_BROKER__URL: 'redis://r', LG_BROKER__TLS__CA_FILE: '/ca' }, 'broker.tls: is for rediss://'],
    [{ LG_BROKER__URL: 'rediss://r', LG_BROKER__TLS__KEY_FILE: '/key' }, 'certFile and keyFile go together'],
  ])('refuse %o', (env, problem) => {
    const loaded = load(env);
    expect(loaded.ok ? [] : loaded.problems.join('\n')).toContain(problem);
  });
});
