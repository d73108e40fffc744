import { setImmediate as breathe } from 'node:timers/promises';
import { ReplyError } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { Subscription, type SubscriptionOwner, type Wire } from './subscription.ts';

interface Sent {
  readonly command: 'subscribe' | 'unsubscribe';
  resolve(): void;
  reject(cause: unknown): void;
}

/** A wire whose answers the test gives, and what Redis would have subscribed after them. */
function openWire() {
  const sent: Sent[] = [];
  const send = (command: Sent['command']) =>
    new Promise<void>((resolve, reject) => sent.push({ command, resolve, reject }));
  const wire: Wire = { history: 'h', subscribe: () => send('subscribe'), unsubscribe: () => send('unsubscribe') };
  const answer = async () => {
    sent.shift()?.resolve();
    await breathe();
  };
  return { sent, wire, answer };
}

function openSubscription(wire: Wire, connected = true) {
  const said: string[] = [];
  const owner: SubscriptionOwner & { want: boolean } = {
    want: true,
    wanted: () => owner.want,
    confirmed: () => said.push('confirmed'),
    refused: () => said.push('refused'),
    misrouted: () => said.push('misrouted'),
    over: () => said.push('over'),
  };
  return { said, owner, subscription: new Subscription('c', owner, connected ? wire : undefined) };
}

describe('a subscription', () => {
  it('ends up subscribed if a newcomer comes while it is being left', async () => {
    const { sent, wire, answer } = openWire();
    const { owner, subscription } = openSubscription(wire);
    subscription.settle();
    await answer();
    owner.want = false;
    subscription.settle();
    expect(sent.map(({ command }) => command)).toEqual(['unsubscribe']);
    owner.want = true;
    subscription.settle();
    expect(sent.map(({ command }) => command)).toEqual(['unsubscribe']);
    await answer();
    expect(sent.map(({ command }) => command)).toEqual(['subscribe']);
    await answer();
    expect(subscription.isOn).toBe(true);
  });

  it('is left once it is confirmed if nobody wants it any more by then', async () => {
    const { sent, wire, answer } = openWire();
    const { owner, said, subscription } = openSubscription(wire);
    subscription.settle();
    owner.want = false;
    subscription.settle();
    await answer();
    expect(sent.map(({ command }) => command)).toEqual(['unsubscribe']);
    await answer();
    expect(said).toEqual(['confirmed', 'over']);
    expect(subscription.isOn).toBe(false);
  });

  it('is made anew on each connection, and an answer on an earlier one counts for nothing', async () => {
    const { sent, wire } = openWire();
    const { said, subscription } = openSubscription(wire, false);
    subscription.settle();
    expect(sent).toEqual([]);
    subscription.connected(wire);
    subscription.disconnected();
    subscription.connected(wire);
    expect(sent).toHaveLength(2);
    sent[0]?.resolve();
    await breathe();
    expect(subscription.isOn).toBe(false);
    sent[1]?.resolve();
    await breathe();
    expect(subscription.isOn).toBe(true);
    expect(said).toEqual(['confirmed']);
  });

  it('is over if nobody wants it when the connection breaks', async () => {
    const { wire } = openWire();
    const { owner, said, subscription } = openSubscription(wire);
    subscription.settle();
    owner.want = false;
    subscription.disconnected();
    expect(said).toEqual(['over']);
  });

  it('reports that Redis refused, and asks again at once when told (FIELD E14)', async () => {
    const { sent, wire } = openWire();
    const { owner, said, subscription } = openSubscription(wire);
    subscription.settle();
    sent.shift()?.reject(new ReplyError('NOPERM this user has no permissions to access the channel'));
    await breathe();
    expect(said).toEqual(['refused']);
    subscription.settle();
    expect(sent).toHaveLength(1);
    owner.want = false;
    subscription.disconnected();
  });
});
