import type { Principal, Stream } from '@listen-gateway/core';
import { ManualClock } from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Revalidation } from './revalidation.ts';
import type { Credential } from './verdict.ts';

const EVERY_MS = 1_000;
const opened: Revalidation[] = [];

afterEach(() => {
  for (const revalidation of opened.splice(0)) revalidation.stop();
});

type Rechecked = Awaited<ReturnType<Credential['recheck']>>;

function open() {
  const clock = new ManualClock();
  const streams = new Set<Stream>();
  const faults: unknown[] = [];
  const revalidation = new Revalidation({
    streams: { open: streams },
    clock,
    everyMs: EVERY_MS,
    onFault: (error) => faults.push(error),
  });
  opened.push(revalidation);
  const ended: string[] = [];
  const stream = (subject: string, credential?: Credential) => {
    const principal: Principal = { subject };
    if (credential !== undefined) revalidation.watch(principal, credential);
    // As much of a stream as revalidation touches.
    streams.add({ principal, end: (reason: string) => ended.push(`${subject}: ${reason}`) } as unknown as Stream);
  };
  const round = async () => {
    clock.advance(EVERY_MS);
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  };
  return { clock, revalidation, stream, streams, ended, faults, round };
}

function credential(key: string, answer: () => Rechecked | Promise<Rechecked>) {
  const asked: string[] = [];
  const recheck = async () => {
    asked.push(key);
    return answer();
  };
  return { key, asked, recheck };
}

describe('a round of revalidation', () => {
  it('ends the streams whose credential is gone, and no other (FIELD D6)', async () => {
    const { stream, streams, ended, revalidation, round } = open();
    stream(
      'gone',
      credential('a', () => 'gone'),
    );
    stream(
      'good',
      credential('b', () => 'good'),
    );
    stream(
      'unknown',
      credential('c', () => 'unknown'),
    );
    stream('unwatched');
    await round();
    expect(ended).toEqual(['gone: revoked']);
    expect(revalidation.isGone(credential('a', () => 'good'))).toBe(true);
    expect(revalidation.isGone(credential('b', () => 'good'))).toBe(false);
    streams.clear();
    await round();
    expect(revalidation.isGone(credential('a', () => 'good')), 'a round later nothing is kept of it').toBe(false);
  });

  it('asks once for all streams that share a credential, and again in the next round', async () => {
    const { stream, ended, round } = open();
    let answer: Rechecked = 'good';
    const shared = credential('a', () => answer);
    for (let at = 0; at < 5; at += 1) stream(`s${at}`, shared);
    await round();
    expect([shared.asked.length, ended]).toEqual([1, []]);
    answer = 'gone';
    await round();
    expect(shared.asked).toHaveLength(2);
    expect(ended).toHaveLength(5);
  });

  it('asks eight questions at once at most', async () => {
    const { stream, round } = open();
    const waiting: (() => void)[] = [];
    const answer = () => new Promise<Rechecked>((resolve) => waiting.push(() => resolve('good')));
    for (let at = 0; at < 20; at += 1) stream(`s${at}`, credential(`c${at}`, answer));
    await round();
    expect(waiting).toHaveLength(8);
    for (const resolve of waiting.splice(0)) resolve();
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    expect(waiting).toHaveLength(8);
  });

  it('does not begin before the one before it is over', async () => {
    const { stream, round } = open();
    const slow = credential('a', () => new Promise<Rechecked>(() => {}));
    stream('s', slow);
    await round();
    await round();
    expect(slow.asked).toHaveLength(1);
  });

  it('ends nothing once it was stopped, whatever an answer on its way says', async () => {
    const { clock, stream, revalidation, ended, round } = open();
    let resolve = (_: Rechecked) => {};
    const answer = new Promise<Rechecked>((settle) => {
      resolve = settle;
    });
    stream(
      's',
      credential('a', () => answer),
    );
    await round();
    revalidation.stop();
    resolve('gone');
    await round();
    expect(ended).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('that fails is told, and the next one comes all the same', async () => {
    const { stream, faults, round } = open();
    const failing = credential('a', () => Promise.reject(new Error('no')));
    stream('s', failing);
    await round();
    await round();
    expect(faults).toHaveLength(2);
    expect(failing.asked).toHaveLength(2);
  });
});
