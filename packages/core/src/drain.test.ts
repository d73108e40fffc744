import { type RecordingSink, TEST_SERVER, TestInstance, within } from '@listen-gateway/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Drain, type DrainTimes, startDrain } from './drain.ts';

const TIMES: DrainTimes = { delayMs: 5_000, windowMs: 20_000, graceMs: 2_000 };

/** An instance with so many streams, which begins to drain; and whether it is through. */
async function draining(
  streams: number,
  times: DrainTimes = TIMES,
  before?: (sinks: readonly RecordingSink[]) => void,
) {
  const instance = new TestInstance({ limits: { streamsPerInstance: 5_000, streamsPerPrincipal: 5_000 } });
  const sinks: RecordingSink[] = [];
  for (let n = 0; n < streams; n += 1) sinks.push(await instance.open({ id: n }));
  before?.(sinks);
  const drain = startDrain(instance.streams, times, { clock: instance.clock, random: Math.random });
  const progress = { isDone: false };
  void drain.done.then(() => {
    progress.isDone = true;
  });
  const ended = () => sinks.filter(({ closing }) => closing !== 'no').length;
  return { instance, sinks, drain, progress, ended };
}

/** A turn of the event loop, in which every promise that can settle does. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const stall = (sinks: readonly RecordingSink[]): void => {
  for (const sink of sinks) sink.block();
};

const isThrough = (drain: Drain): Promise<void> => within(1_000, 'the end of the drain', drain.done);

describe('a drain', () => {
  it('refuses listens at once, and ends no stream before load balancers had their time (INS-05)', async () => {
    const { instance, ended, progress } = await draining(10);
    expect(await instance.ask().outcome).toBe('draining');
    instance.clock.advance(4_999);
    expect(ended()).toBe(0);
    await instance.publish({ kind: 'tools' });
    expect(instance.observer.marks).toMatchObject([{ owing: 10 }]);
    expect(progress.isDone).toBe(false);
  });

  it('ends every stream with the result, and leaves no timer (P-1.8, SUB-10, FIELD F1)', async () => {
    const { instance, sinks, drain, ended } = await draining(300);
    instance.clock.advance(25_000);
    expect(ended()).toBe(300);
    await isThrough(drain);
    for (const [id, sink] of sinks.entries()) {
      expect(sink.messages.at(-1)).toMatchObject({ id, result: { resultType: 'complete' } });
      expect(sink.closing).toBe('end');
    }
    expect(new Set(instance.observer.reasons)).toEqual(new Set(['drain']));
    expect(instance.broker.attached(TEST_SERVER)).toBe(0);
    expect(instance.clock.pending).toBe(0);
  });

  it('spreads the ends over the window: hosts do not come back all at once (P-5, INS-05)', async () => {
    const { instance, ended } = await draining(2_000);
    instance.clock.advance(5_000);
    for (let second = 1; second <= 20; second += 1) {
      const before = ended();
      instance.clock.advance(1_000);
      expect(ended() - before).toBeGreaterThan(80);
      expect(ended() - before).toBeLessThan(120);
    }
    expect(ended()).toBe(2_000);
  });

  it('needs no window for a few streams', async () => {
    const { instance, drain } = await draining(10);
    instance.clock.advance(5_200);
    await isThrough(drain);
  });

  it('cuts a host at the deadline that does not take the end of its stream (FIELD F1)', async () => {
    const { instance, sinks, drain, progress } = await draining(3, TIMES, stall);
    await instance.publish({ kind: 'tools' });
    instance.clock.advance(26_999);
    await turn();
    expect(progress.isDone).toBe(false);
    instance.clock.advance(1);
    await isThrough(drain);
    expect(sinks.map(({ closing }) => closing)).toEqual(['cut', 'cut', 'cut']);
    expect(instance.observer.reasons).toEqual(['drain-deadline', 'drain-deadline', 'drain-deadline']);
    expect(instance.clock.pending).toBe(0);
  });

  it('waits for a host that takes the end of its stream in time', async () => {
    const { instance, sinks, drain } = await draining(1, TIMES, stall);
    await instance.publish({ kind: 'tools' });
    instance.clock.advance(26_000);
    sinks[0]?.drain();
    await isThrough(drain);
    expect(instance.observer.reasons).toEqual(['drain']);
    expect(sinks[0]?.messages.at(-1)).toHaveProperty('result');
  });

  it('is through once the delay is over where there is no stream', async () => {
    const { instance, drain, progress } = await draining(0);
    instance.clock.advance(4_999);
    await turn();
    expect(progress.isDone).toBe(false);
    instance.clock.advance(1);
    await isThrough(drain);
    expect(instance.clock.pending).toBe(0);
  });

  it('is not held up by streams that end by themselves', async () => {
    const { instance, sinks, drain } = await draining(50);
    instance.clock.advance(5_010);
    for (const sink of sinks) sink.leave();
    await isThrough(drain);
    expect(instance.clock.pending).toBe(0);
  });

  it('answers listens that the broker has not confirmed yet, with a refusal', async () => {
    const instance = new TestInstance();
    instance.broker.hold();
    const asked = instance.ask();
    const drain = startDrain(instance.streams, TIMES, { clock: instance.clock, random: () => 0 });
    instance.clock.advance(5_000);
    await isThrough(drain);
    instance.broker.confirm();
    expect(await within(1_000, 'the outcome', asked.outcome)).toBe('draining');
    expect(asked.sink?.chunks).toEqual([]);
    expect(instance.broker.attached(TEST_SERVER)).toBe(0);
  });

  it('takes delay, window and grace together at the most, whatever hosts do', async () => {
    const times = fc.record({
      delayMs: fc.nat(3_000),
      windowMs: fc.nat(3_000),
      graceMs: fc.integer({ min: 20, max: 3_000 }),
    });
    const moods = fc.array(fc.constantFrom('reads', 'stalls', 'leaves'), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(times, moods, async (times, moods) => {
        const { instance, drain } = await draining(moods.length, times, (sinks) => {
          stall(sinks.filter((_, index) => moods[index] === 'stalls'));
          for (const sink of sinks.filter((_, index) => moods[index] === 'leaves')) sink.leave();
        });
        await instance.publish({ kind: 'tools' });
        instance.clock.advance(times.delayMs + times.windowMs + times.graceMs);
        await isThrough(drain);
        const cut = instance.observer.reasons.filter((reason) => reason === 'drain-deadline').length;
        expect(cut).toBe(moods.filter((mood) => mood === 'stalls').length);
        expect(instance.clock.pending).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a drain in haste', () => {
  it('skips the delay and ends all streams now', async () => {
    const { instance, drain, ended } = await draining(1_000);
    drain.hasten();
    expect(ended()).toBe(1_000);
    await isThrough(drain);
    expect(new Set(instance.observer.reasons)).toEqual(new Set(['drain']));
    expect(instance.clock.pending).toBe(0);
  });

  it('ends all that is left in the middle of the window', async () => {
    const { instance, drain, ended } = await draining(1_000);
    instance.clock.advance(9_000);
    expect(ended()).toBeLessThan(500);
    drain.hasten();
    expect(ended()).toBe(1_000);
    await isThrough(drain);
  });

  it('cuts at the second call what did not take its end', async () => {
    const { instance, drain, sinks } = await draining(2, TIMES, ([first]) => stall(first ? [first] : []));
    await instance.publish({ kind: 'tools' });
    drain.hasten();
    expect(sinks.map(({ closing, isGone }) => [closing, isGone])).toEqual([
      ['end', false],
      ['end', true],
    ]);
    drain.hasten();
    await isThrough(drain);
    expect(sinks[0]?.closing).toBe('cut');
    expect(instance.observer.reasons).toEqual(['drain', 'drain-deadline']);
  });

  it('does nothing more once it is through', async () => {
    const { instance, drain } = await draining(1);
    drain.hasten();
    await isThrough(drain);
    drain.hasten();
    drain.hasten();
    expect(instance.clock.pending).toBe(0);
    expect(instance.observer.reasons).toEqual(['drain']);
  });
});
