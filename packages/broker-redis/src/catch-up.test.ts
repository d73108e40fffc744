import { eventually, freshServerId } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { type CatchUpReader, CatchUps } from './catch-up.ts';
import type { Page } from './continuity.ts';
import { redisKeys } from './redis-keys.ts';

const PAGE: Page = { tip: '1-0', entries: [] };

/** Wants so many pages, one after the other. */
class Reader implements CatchUpReader {
  readonly serverId = freshServerId();
  readonly keys = redisKeys('t:', this.serverId);
  #wants: number;

  constructor(wants: number) {
    this.#wants = wants;
  }

  get wantsRead(): boolean {
    return this.#wants > 0;
  }

  beginRead(): string {
    return '0-0';
  }

  page(): number {
    this.#wants -= 1;
    return 2;
  }
}

describe('the catch-ups', () => {
  it('read until the reader has what it wants, once at a time however often it asks', async () => {
    let reading = 0;
    let most = 0;
    const reports: number[] = [];
    const reader = new Reader(3);
    const catchUps = new CatchUps(
      async () => {
        reading += 1;
        most = Math.max(most, reading);
        catchUps.request(reader);
        await Promise.resolve();
        reading -= 1;
        return PAGE;
      },
      { caughtUp: (_, missed) => reports.push(missed) },
    );
    catchUps.request(reader);
    catchUps.request(reader);
    await eventually(5_000, 'the report', () => reports.length > 0);
    expect(most).toBe(1);
    expect(reports).toEqual([6]);
  });

  it('try a read that failed again until it works', async () => {
    let failuresLeft = 3;
    const failed: string[] = [];
    const reader = new Reader(1);
    const catchUps = new CatchUps(
      async () => {
        failuresLeft -= 1;
        if (failuresLeft >= 0) throw new Error('no connection');
        return PAGE;
      },
      { readFailed: (serverId) => failed.push(serverId) },
    );
    catchUps.request(reader);
    await eventually(5_000, 'the read that works', () => !reader.wantsRead);
    expect(failed).toEqual([reader.serverId, reader.serverId, reader.serverId]);
  });

  it('read at most 32 journals at once', async () => {
    const answers: ((page: Page) => void)[] = [];
    const catchUps = new CatchUps(() => new Promise((resolve) => answers.push(resolve)), {});
    const readers = Array.from({ length: 50 }, () => new Reader(1));
    for (const reader of readers) catchUps.request(reader);
    await eventually(5_000, 'the first reads', () => answers.length === 32);
    for (const answer of answers.splice(0)) answer(PAGE);
    await eventually(5_000, 'the other reads', () => answers.length === 18);
    for (const answer of answers) answer(PAGE);
    await eventually(5_000, 'all readers to be done', () => readers.every(({ wantsRead }) => !wantsRead));
  });

  it('stop when they are closed', async () => {
    let reads = 0;
    const catchUps = new CatchUps(
      async () => {
        reads += 1;
        throw new Error('no connection');
      },
      { readFailed: () => catchUps.close() },
    );
    catchUps.request(new Reader(1));
    await eventually(5_000, 'the first read', () => reads === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(reads).toBe(1);
  });
});
