import { describe, expect, it } from 'vitest';
import { eventually, within } from './within.ts';

describe('within', () => {
  it('passes on what the promise brings, and its failure', async () => {
    expect(await within(1000, 'a value', Promise.resolve(7))).toBe(7);
    await expect(within(1000, 'a value', Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('says what it waited for when the deadline passes', async () => {
    await expect(within(5, 'the acknowledgement', new Promise(() => {}))).rejects.toThrow(
      'waited 5 ms in vain for the acknowledgement',
    );
  });
});

describe('eventually', () => {
  it('returns as soon as the claim holds', async () => {
    let asked = 0;
    await eventually(1000, 'the third question', () => ++asked === 3);
    expect(asked).toBe(3);
  });

  it('stops asking after the deadline', async () => {
    await expect(eventually(20, 'a wonder', () => false)).rejects.toThrow('a wonder');
  });
});
