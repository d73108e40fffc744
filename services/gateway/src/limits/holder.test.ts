import type { ServerId } from '@listen-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { holderOf } from './holder.ts';

const [acme, other] = ['acme', 'other'] as ServerId[] as [ServerId, ServerId];

describe('a listen', () => {
  it('counts for its principal on its server, wherever it comes from', () => {
    expect(holderOf(acme, 'ann', '192.0.2.1')).toEqual(holderOf(acme, 'ann', '192.0.2.2'));
    expect(holderOf(acme, 'ann', '192.0.2.1')).not.toEqual(holderOf(other, 'ann', '192.0.2.1'));
    expect(holderOf(acme, '192.0.2.1', undefined)).not.toEqual(holderOf(acme, undefined, '192.0.2.1'));
  });

  it.each([
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['2001:db8::1', '2001:DB8:0:0:ffff:1:2:3'],
    ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002::'],
    ['fe80::1', 'fe80::2%eth0'],
    ['::1', '::2'],
  ])('counts for one address from %s and %s', (one, another) => {
    expect(holderOf(acme, undefined, one)).toEqual(holderOf(acme, undefined, another));
  });

  it.each([
    ['192.0.2.1', '192.0.2.2'],
    ['2001:db8:0:1::1', '2001:db8:0:2::1'],
    ['2001:db8::1', '2001:db9::1'],
    ['::ffff:192.0.2.1', '::1'],
  ])('counts for two from %s and %s', (one, another) => {
    expect(holderOf(acme, undefined, one)).not.toEqual(holderOf(acme, undefined, another));
  });
});
