import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRequestId } from './request-id.ts';

describe('a request id', () => {
  it.each([0, -1, 1, 3100.0, 2 ** 53 - 1, -(2 ** 53 - 1), '', '1', 'listen:0', '\u2028', '\ud800'])(
    'can be %j',
    (id) => {
      expect(isRequestId(id)).toBe(true);
    },
  );

  it.each([1.5, 2 ** 53, -(2 ** 53), Number.POSITIVE_INFINITY, Number.NaN, null, undefined, true, [], [1], {}])(
    'cannot be %j (FIELD A2)',
    (id) => {
      expect(isRequestId(id)).toBe(false);
    },
  );

  it('survives a JSON parser wherever it is accepted (P-1.4)', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.maxSafeInteger()), (id) => {
        fc.pre(isRequestId(id));
        expect(JSON.parse(JSON.stringify(id)) === id).toBe(true);
      }),
    );
  });
});
