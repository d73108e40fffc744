import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isRange, TrustedProxies } from './trusted-proxies.ts';

/** As much of a request as says where it came from. */
function from(remoteAddress: string | undefined, headers: IncomingMessage['headers'] = {}): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);

describe('a request', () => {
  it.each(['10.1.2.3', '192.0.2.7', '::ffff:10.1.2.3', '2001:db8:1::1'])('that came by %s is believed', (address) => {
    expect(proxies.believes(from(address))).toBe(true);
  });

  it.each(['11.0.0.1', '192.0.2.8', '::ffff:11.0.0.1', '2001:db9::1', undefined, ''])(
    'that came by %s is not',
    (address) => {
      expect(proxies.believes(from(address))).toBe(false);
    },
  );

  it('is believed by nobody where no proxy is listed', () => {
    expect(new TrustedProxies().believes(from('127.0.0.1'))).toBe(false);
  });

  it('comes from its peer, whatever it says, unless that is a trusted proxy', () => {
    expect(proxies.addressOf(from('198.51.100.1', { 'x-forwarded-for': '10.0.0.1' }))).toBe('198.51.100.1');
    expect(proxies.addressOf(from('10.0.0.1'))).toBe('10.0.0.1');
    expect(proxies.addressOf(from(undefined))).toBeUndefined();
  });

  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['203.0.113.9, 198.51.100.1, 10.0.0.9', '198.51.100.1'],
    ['2001:db9::1,10.0.0.9', '2001:db9::1'],
    ['10.0.0.8, 10.0.0.9', '10.0.0.8'],
    ['unknown', '10.0.0.1'],
    ['198.51.100.1, _hidden', '10.0.0.1'],
  ])('that a trusted proxy says came by %s comes from %s', (way, address) => {
    expect(proxies.addressOf(from('10.0.0.1', { 'x-forwarded-for': way }))).toBe(address);
  });
});

describe('a range', () => {
  it.each(['10.0.0.0/8', '0.0.0.0/0', '192.0.2.7', '192.0.2.7/32', '::1', '2001:db8::/32', '::/0'])(
    'is %s',
    (range) => {
      expect(isRange(range)).toBe(true);
    },
  );

  it.each(['', 'proxy.example', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '::/129', '*'])(
    'is not %j',
    (range) => {
      expect(isRange(range)).toBe(false);
    },
  );
});
