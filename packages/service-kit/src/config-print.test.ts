import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { printedConfig } from './config-print.ts';

const MARKER = 'marker-secret';

describe('a printed configuration', () => {
  it('has every setting, maps as maps', () => {
    const config = {
      listen: { host: '::', port: 8080 },
      servers: new Map([['default', { tools: true }]]),
      http: { allowedHosts: ['a'] },
    };
    expect(parse(printedConfig(config))).toEqual({
      listen: { host: '::', port: 8080 },
      servers: { default: { tools: true } },
      http: { allowedHosts: ['a'] },
    });
  });

  it.each([
    { broker: { url: `redis://app:${MARKER}@redis:6379/0` } },
    { broker: { url: `rediss://:${MARKER}@redis` } },
    { broker: { url: `redis://app:${MARKER}@with@signs@redis` } },
    { broker: { password: MARKER, sentinel: { password: MARKER } } },
    { servers: new Map([['a', { upstream: { url: `http://u:${MARKER}@host/mcp` } }]]) },
    { upstream: { credential: MARKER }, list: [{ token: MARKER }], key: [MARKER] },
  ])('never has a secret: %#', (config) => {
    expect(printedConfig(config)).not.toContain(MARKER);
    expect(printedConfig(config)).toContain('[redacted]');
  });

  it('keeps what is no secret: hosts, users, names of variables, digests', () => {
    const config = {
      url: 'redis://app@redis:6379',
      credentialVariable: 'ACME_TOKEN',
      keys: [{ id: 'ci', sha256: 'ab12' }],
    };
    expect(parse(printedConfig(config))).toEqual(config);
  });
});
