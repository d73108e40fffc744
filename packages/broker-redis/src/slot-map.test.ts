import { describe, expect, it } from 'vitest';
import { readSlots } from './slot-map.ts';

const ASKED = { host: '10.0.0.9', port: 7000 };

describe('the slots of a cluster', () => {
  it('tell the master in charge by hash tag', () => {
    const slots = readSlots(
      [
        [0, 8_191, ['10.0.0.1', 7000, 'id-1', []], ['10.0.0.2', 7000, 'id-2', []]],
        [8_192, 16_383, ['10.0.0.3', 7001, 'id-3', []]],
      ],
      ASKED,
    );
    // Slots as CLUSTER KEYSLOT tells them.
    expect(slots.ownerOf('lg:1:{a}:journal')).toBe('10.0.0.3:7001');
    expect(slots.ownerOf('lg:1:{a}:changes')).toBe('10.0.0.3:7001');
    expect(slots.ownerOf('lg:1:{b}:journal')).toBe('10.0.0.1:7000');
    expect([...slots.masters]).toEqual([
      ['10.0.0.1:7000', { host: '10.0.0.1', port: 7000 }],
      ['10.0.0.3:7001', { host: '10.0.0.3', port: 7001 }],
    ]);
    expect(slots.isWhole).toBe(true);
  });

  it.each([[''], [null]])('are at the node that was asked where that does not know its host (%j)', (host) => {
    expect([...readSlots([[0, 5, [host, 7000, 'id']]], ASKED).masters.keys()]).toEqual(['10.0.0.9:7000']);
  });

  it('are not whole where nobody, or nobody who may be known, is in charge', () => {
    const slots = readSlots(
      [
        [0, 16_382, ['h', 1, 'id']],
        [16_383, 16_383, ['?', 1, 'id']],
      ],
      ASKED,
    );
    expect(slots.isWhole).toBe(false);
    expect([...slots.masters.keys()]).toEqual(['h:1']);
  });
});
