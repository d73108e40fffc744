import { TEST_SERVER, TestInstance, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';

const limits = { streamsPerInstance: 4, streamsPerPrincipal: 2 };

const outcomeOf = ({ outcome }: { readonly outcome: Promise<string> }) => within(1_000, 'the outcome', outcome);

describe('a listen over a limit', () => {
  it('is refused before anything is opened, and counted by its reason (INS-05, FIELD C34, F19)', async () => {
    const instance = new TestInstance({ limits });
    await instance.open({ subject: 'ann' });
    await instance.open({ subject: 'ann' });
    const refused = instance.ask({ subject: 'ann' });
    expect(await outcomeOf(refused)).toBe('principal-full');
    expect(refused.sink).toBeUndefined();
    await instance.open({ subject: 'bob' });
    await instance.open();
    for (const subject of ['bob', 'ann']) {
      expect(await outcomeOf(instance.ask({ subject }))).toBe('instance-full');
    }
    expect(instance.observer.refusals).toEqual(['principal-full', 'instance-full', 'instance-full']);
    expect(instance.streams.open.size).toBe(4);
    expect(instance.observer.gauge).toBe(4);
  });

  it('finds a slot as soon as a stream has left (FIELD C34)', async () => {
    const instance = new TestInstance({ limits });
    const first = await instance.open({ subject: 'ann' });
    await instance.open({ subject: 'ann' });
    first.leave();
    await instance.open({ subject: 'ann' });
    expect(await outcomeOf(instance.ask({ subject: 'ann' }))).toBe('principal-full');
  });

  it('is counted against streams that are still opening', async () => {
    const instance = new TestInstance({ limits });
    instance.broker.hold();
    const asked = [instance.ask({ subject: 'ann' }), instance.ask({ subject: 'ann' })];
    expect(await outcomeOf(instance.ask({ subject: 'ann' }))).toBe('principal-full');
    for (const { sink } of asked) sink?.leave();
    expect(instance.streams.open.size).toBe(0);
    instance.broker.confirm();
    expect(await Promise.all(asked.map(outcomeOf))).toEqual(['host-gone', 'host-gone']);
  });

  it('takes no principal for another because neither is known', async () => {
    const instance = new TestInstance({ limits });
    for (let n = 0; n < 4; n += 1) await instance.open();
    expect(await outcomeOf(instance.ask())).toBe('instance-full');
  });

  it('is no burden where nothing is honored: such a stream gives its slot back at once (P-1.13, FIELD C22)', async () => {
    const instance = new TestInstance({ limits });
    for (let n = 0; n < 20; n += 1) await instance.open({ subject: 'ann', filter: {} });
    expect(instance.observer.refusals).toEqual([]);
  });
});

describe('a listen that the broker does not confirm', () => {
  it('is refused, nothing is written, and all of it is released (SUB-12, FIELD E14)', async () => {
    const instance = new TestInstance({ limits });
    instance.broker.hold();
    const asked = [instance.ask({ subject: 'ann' }), instance.ask({ subject: 'bob' })];
    await instance.publish({ kind: 'tools' });
    instance.broker.refuse();
    expect(await Promise.all(asked.map(outcomeOf))).toEqual(['broker-unavailable', 'broker-unavailable']);
    for (const { sink } of asked) expect(sink).toMatchObject({ chunks: [], closing: 'no' });
    expect(instance.observer.refusals).toEqual(['broker-unavailable', 'broker-unavailable']);
    expect(instance.observer.openings).toEqual([]);
    expect(instance.observer.closings).toEqual([]);
    expect(instance.streams.open.size).toBe(0);
    expect(instance.broker.attached(TEST_SERVER)).toBe(0);
  });

  it('can be asked again, and opens once the broker confirms', async () => {
    const instance = new TestInstance();
    instance.broker.hold();
    const first = instance.ask();
    instance.broker.refuse();
    expect(await outcomeOf(first)).toBe('broker-unavailable');
    const second = instance.ask();
    instance.broker.confirm();
    expect(await outcomeOf(second)).toBe('opened');
    await instance.publish({ kind: 'tools' });
    expect(second.sink?.messages).toHaveLength(2);
  });

  it('is refused also where its server was attached before the broker broke; open streams stay (SUB-04)', async () => {
    const instance = new TestInstance();
    const open = await instance.open();
    instance.broker.ready = false;
    instance.broker.hold();
    const late = instance.ask();
    instance.broker.refuse();
    expect(await outcomeOf(late)).toBe('broker-unavailable');
    await instance.publish({ kind: 'tools' });
    expect(open.messages).toHaveLength(2);
    expect(instance.observer.gauge).toBe(1);
  });
});

describe('an instance that drains', () => {
  it('refuses every listen from then on, also those that were opening (INS-05)', async () => {
    const instance = new TestInstance();
    const open = await instance.open();
    instance.broker.ready = false;
    instance.broker.hold();
    const opening = instance.ask();
    const drained = instance.streams.startDraining();
    expect(await outcomeOf(instance.ask())).toBe('draining');
    for (const stream of instance.streams.open) stream.end('drain');
    instance.broker.confirm();
    expect(await outcomeOf(opening)).toBe('draining');
    expect(opening.sink).toMatchObject({ chunks: [], closing: 'no' });
    expect(open.messages.at(-1)).toHaveProperty('result');
    await within(1_000, 'the end of the last stream', drained);
    expect(instance.observer.refusals).toEqual(['draining', 'draining']);
  });
});

describe('a host that left while its stream was opening', () => {
  it.each(['confirm', 'refuse'] as const)(
    'is not answered, and frees everything at once, whether the broker will %s (SUB-09, P-1.7, FIELD C15)',
    async (verdict) => {
      const instance = new TestInstance({ limits });
      instance.broker.hold();
      const asked = instance.ask({ subject: 'ann' });
      asked.sink?.leave();
      expect(instance.streams.open.size).toBe(0);
      instance.broker[verdict]();
      expect(await outcomeOf(asked)).toBe('host-gone');
      expect(asked.sink?.chunks).toEqual([]);
      expect(instance.broker.attached(TEST_SERVER)).toBe(0);
      const { openings, closings, refusals, gauge } = instance.observer;
      expect({ openings, closings, refusals, gauge }).toEqual({ openings: [], closings: [], refusals: [], gauge: 0 });
      await instance.publish({ kind: 'tools' });
      expect(instance.observer.marks).toEqual([]);
    },
  );
});
