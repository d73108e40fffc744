import { describe, expect, it } from 'vitest';
import { didYouMean } from './did-you-mean.ts';

describe('a hint', () => {
  it.each([
    ['keepalivMs', '; did you mean "keepaliveMs"?'],
    ['KEEPALIVEMS', '; did you mean "keepaliveMs"?'],
    ['stalMs', '; did you mean "stallMs"?'],
    ['colour', ''],
    ['', ''],
  ])('for %j is %j', (word, hint) => {
    expect(didYouMean(word, ['keepaliveMs', 'stallMs'])).toBe(hint);
  });
});
