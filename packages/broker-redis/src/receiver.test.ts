import { eventually, freshServerId, RecordingListener } from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CatchUps } from './catch-up.ts';
import { Receiver } from './receiver.ts';
import { redisKeys } from './redis-keys.ts';
import { redisSettings } from './redis-options.ts';
import type { ChannelSource } from './topology.ts';

const settings = redisSettings({ url: 'redis://r', prefix: 't:' });
const serverId = freshServerId();
const { channel } = redisKeys(settings.prefix, serverId);

/** A master that confirms every subscription at once. */
class Source implements ChannelSource {
  readonly receive = { isUp: true };
  readonly subscribed: string[] = [];
  readonly pubSub;

  constructor(history: string) {
    const wire = {
      history,
      subscribe: async (name: string) => void this.subscribed.push(name),
      unsubscribe: async () => {},
    };
    this.pubSub = { wire };
  }
}

let former: Source;
let next: Source;
let inCharge: Source;
let receiver: Receiver;
let listener: RecordingListener;
let catchUps: CatchUps;
let reads: number;
let tip: string;

beforeEach(async () => {
  [former, next] = [new Source('one'), new Source('two')];
  inCharge = former;
  reads = 0;
  tip = '1-0';
  const readPage = async () => {
    reads += 1;
    return { tip, entries: [] };
  };
  catchUps = new CatchUps(readPage, {});
  receiver = new Receiver({ nodeOf: () => inCharge, misrouted: () => {} }, catchUps, settings);
  listener = new RecordingListener();
  await receiver.attach(serverId, listener);
});

afterEach(() => catchUps.close());

const message = (id: string, prev: string) =>
  JSON.stringify({ v: 1, id, prev, change: { method: 'notifications/tools/list_changed' } });

describe('the receiver, when another master is in charge of a channel', () => {
  it('hears the former one out until it lets go, and doubts nothing', async () => {
    inCharge = next;
    receiver.rerouted();
    expect(next.subscribed).toEqual([]);
    receiver.message(former, channel, message('2-0', '1-0'));
    expect(listener.heard).toHaveLength(1);
    tip = '2-0';
    receiver.takenOff(former, channel);
    expect(next.subscribed).toEqual([channel]);
    await eventually(5_000, 'the read there', () => reads === 2);
    receiver.message(former, channel, message('3-0', '2-0'));
    receiver.disconnected(former);
    expect(next.subscribed).toEqual([channel]);
    expect(listener.heard).toHaveLength(1);
  });

  it.each([
    ['has broken', () => receiver.disconnected(former)],
    ['lets go of nothing', () => {}],
  ])('goes there all the same if the former one %s, and reports a gap', async (_, act) => {
    inCharge = next;
    receiver.rerouted();
    act();
    await eventually(2_000, 'the subscription there', () => next.subscribed.length === 1);
    await listener.until(1_000, 'the gap', ({ gaps }) => gaps === 1);
  });

  it('goes there at once from a master that is away, and stays where the change is taken back', async () => {
    inCharge = next;
    receiver.rerouted();
    inCharge = former;
    receiver.rerouted();
    receiver.takenOff(former, channel);
    expect(next.subscribed).toEqual([]);
    former.receive.isUp = false;
    inCharge = next;
    receiver.rerouted();
    expect(next.subscribed).toEqual([channel]);
  });
});
