import { describe, expect, it } from 'vitest';
import { readinessOf } from './readiness.ts';

const WELL = { ready: true } as const;
const DOWN = { ready: false, reason: 'Redis is not reachable' } as const;

describe('an instance', () => {
  it.each([
    ['serves listens alone', { draining: false, broker: WELL, forwards: false }, { ready: true, reasons: [] }],
    [
      'serves listens alone and has lost its broker',
      { draining: false, broker: DOWN, forwards: false },
      { ready: false, reasons: ['broker: Redis is not reachable'] },
    ],
    [
      'forwards as well and has lost its broker',
      { draining: false, broker: DOWN, forwards: true },
      { ready: true, reasons: [], degraded: ['broker: Redis is not reachable'] },
    ],
    ['drains', { draining: true, broker: WELL, forwards: true }, { ready: false, reasons: ['draining'] }],
    [
      'drains without a broker',
      { draining: true, broker: DOWN, forwards: true },
      { ready: false, reasons: ['draining'], degraded: ['broker: Redis is not reachable'] },
    ],
  ])('that %s says so', (_which, state, readiness) => {
    expect(readinessOf(state)).toEqual(readiness);
  });
});
