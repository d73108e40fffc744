import type { Change, ServerId } from '@listen-gateway/protocol';
import { HeldBroker, ManualClock, within } from '@listen-gateway/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Attachments } from './attachments.ts';
import { BrokerError } from './broker.ts';
import { MemoryBroker } from './memory-broker.ts';

const acme = 'acme' as ServerId;
const other = 'other' as ServerId;
const tools: Change = { kind: 'tools' };

/** A turn of the event loop, in which every promise that can settle does. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function attaching() {
  const broker = new HeldBroker(new MemoryBroker({ clock: new ManualClock() }));
  const heard: ServerId[] = [];
  const attachments = new Attachments(broker, (serverId) => ({
    change: () => heard.push(serverId),
    gap: () => {},
  }));
  /** What became of an acquire so far. */
  const acquire = (serverId: ServerId = acme) => {
    const fate: { is: 'pending' | 'resolved' | 'rejected'; error?: unknown } = { is: 'pending' };
    attachments.acquire(serverId).then(
      () => {
        fate.is = 'resolved';
      },
      (error: unknown) => {
        fate.is = 'rejected';
        fate.error = error;
      },
    );
    return fate;
  };
  return { broker, attachments, heard, acquire };
}

describe('an attachment', () => {
  it('is made once for all streams of a server, and confirms to each of them (INS-01, FIELD E10)', async () => {
    const { broker, attachments, heard, acquire } = attaching();
    broker.hold();
    const fates = [acquire(), acquire()];
    await turn();
    expect(fates.map(({ is }) => is)).toEqual(['pending', 'pending']);
    broker.confirm();
    await turn();
    const late = acquire();
    await turn();
    expect([...fates, late].map(({ is }) => is)).toEqual(['resolved', 'resolved', 'resolved']);
    expect(broker.attaches).toBe(1);
    await broker.publish(acme, [tools]);
    expect(heard).toEqual([acme]);
    for (let n = 0; n < 3; n += 1) attachments.release(acme);
    expect(broker.attached(acme)).toBe(0);
  });

  it('lasts until the last stream of its server left, and of no other server (INS-01, SUB-09)', async () => {
    const { broker, attachments, acquire } = attaching();
    for (const serverId of [acme, acme, other]) acquire(serverId);
    await turn();
    attachments.release(acme);
    expect(broker.attached(acme)).toBe(1);
    attachments.release(acme);
    attachments.release(acme);
    expect([broker.attached(acme), broker.attached(other), attachments.size]).toEqual([0, 1, 1]);
  });

  it('is given up once confirmed where the last stream left meanwhile', async () => {
    const { broker, attachments, acquire } = attaching();
    broker.hold();
    acquire();
    attachments.release(acme);
    expect(attachments.size).toBe(0);
    broker.confirm();
    await turn();
    expect(broker.attached(acme)).toBe(0);
  });

  it.each(['confirm', 'refuse'] as const)(
    'of a newcomer does not hang on that of the last leaver, which the broker may still %s',
    async (verdict) => {
      const { broker, attachments, heard, acquire } = attaching();
      broker.hold();
      acquire();
      attachments.release(acme);
      const newcomer = acquire();
      broker[verdict]();
      await turn();
      expect(newcomer.is).toBe('pending');
      broker.confirm();
      await turn();
      expect(newcomer.is).toBe('resolved');
      expect(broker.attached(acme)).toBe(1);
      await broker.publish(acme, [tools]);
      expect(heard).toEqual([acme]);
    },
  );

  it('is shared by a newcomer while it is pending, also after the first that asked has left', async () => {
    const { broker, attachments, acquire } = attaching();
    broker.hold();
    acquire();
    const newcomer = acquire();
    attachments.release(acme);
    broker.confirm();
    await turn();
    expect(newcomer.is).toBe('resolved');
    expect([broker.attaches, broker.attached(acme)]).toEqual([1, 1]);
  });

  it('that failed fails for all that waited, and is tried anew by the next', async () => {
    const { broker, attachments, acquire } = attaching();
    broker.hold();
    const fates = [acquire(), acquire()];
    broker.refuse();
    await turn();
    expect(fates.map(({ is }) => is)).toEqual(['rejected', 'rejected']);
    expect(fates[0]?.error).toBeInstanceOf(BrokerError);
    attachments.release(acme);
    const retry = acquire();
    attachments.release(acme);
    broker.confirm();
    await turn();
    expect(retry.is).toBe('resolved');
    expect(broker.attached(acme)).toBe(1);
    attachments.release(acme);
    expect([attachments.size, broker.attached(acme)]).toEqual([0, 0]);
  });
});

describe('a stream of a server that is attached', () => {
  it('waits for the broker to confirm anew while it is not ready, and hears nothing twice (SUB-04, FIELD E14)', async () => {
    const { broker, attachments, heard, acquire } = attaching();
    await within(1_000, 'the first attach', attachments.acquire(acme));
    broker.ready = false;
    broker.hold();
    const newcomer = acquire();
    await turn();
    expect(newcomer.is).toBe('pending');
    await broker.publish(acme, [tools]);
    broker.confirm();
    await turn();
    expect(newcomer.is).toBe('resolved');
    await broker.publish(acme, [tools]);
    expect(heard).toEqual([acme, acme]);
    expect(broker.attached(acme)).toBe(1);
  });

  it('is refused where the broker does not confirm anew, and the others stay attached', async () => {
    const { broker, attachments, acquire } = attaching();
    await within(1_000, 'the first attach', attachments.acquire(acme));
    broker.ready = false;
    broker.hold();
    const newcomer = acquire();
    broker.refuse();
    await turn();
    expect(newcomer.is).toBe('rejected');
    attachments.release(acme);
    expect(broker.attached(acme)).toBe(1);
    attachments.release(acme);
    expect([attachments.size, broker.attached(acme)]).toEqual([0, 0]);
  });
});

const ACTS = ['acquire', 'release', 'confirm', 'refuse', 'turn', 'break', 'mend'] as const;

/** Attachments to one server, and what may happen to them. */
function acting() {
  const { broker, attachments, acquire } = attaching();
  broker.hold();
  const held: ReturnType<typeof acquire>[] = [];
  const perform: Record<(typeof ACTS)[number], () => unknown> = {
    acquire: () => held.push(acquire()),
    // Each acquire is matched by one release, whatever became of it.
    release: () => held.shift() && attachments.release(acme),
    confirm: () => broker.pending.length > 0 && broker.confirm(),
    refuse: () => broker.pending.length > 0 && broker.refuse(),
    turn: () => turn(),
    break: () => {
      broker.ready = false;
    },
    mend: () => {
      broker.ready = true;
    },
  };
  const isPromised = () => held.some(({ is }) => is === 'resolved');
  const leaveAll = async () => {
    while (broker.pending.length > 0) broker.confirm();
    await turn();
    while (held.length > 0) perform.release();
  };
  return { broker, attachments, perform, isPromised, leaveAll };
}

describe('attachments, in any order of events,', () => {
  it('hold a server attached whenever a stream was told so, and nothing once all have left (SUB-04, INS-01)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...ACTS), { maxLength: 30 }), async (acts) => {
        const { broker, attachments, perform, isPromised, leaveAll } = acting();
        for (const act of acts) {
          await perform[act]();
          if (isPromised()) expect(broker.attached(acme)).toBeGreaterThan(0);
        }
        await leaveAll();
        expect([attachments.size, broker.attached(acme)]).toEqual([0, 0]);
      }),
      { numRuns: 200 },
    );
  });
});
