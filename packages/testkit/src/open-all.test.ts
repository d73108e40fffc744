import { describe, expect, it } from 'vitest';
import { openAll, orClose } from './open-all.ts';

class Part {
  isOpen = true;

  async close(): Promise<void> {
    this.isOpen = false;
  }
}

const broken = new Error('broken');

describe('what is opened together', () => {
  it('is handed over in order when all of it could be', async () => {
    const parts = [new Part(), new Part()];
    expect(await openAll(parts.map(async (part) => part))).toEqual(parts);
    await orClose(parts, async () => {});
    expect(parts.map(({ isOpen }) => isOpen)).toEqual([true, true]);
  });

  it('is closed again when some of it could not be, or not be made ready', async () => {
    const [one, other] = [new Part(), new Part()];
    await expect(openAll([Promise.resolve(one), Promise.reject(broken)])).rejects.toBe(broken);
    await expect(orClose([other], () => Promise.reject(broken))).rejects.toBe(broken);
    expect([one.isOpen, other.isOpen]).toEqual([false, false]);
  });
});
