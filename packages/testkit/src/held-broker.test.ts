import { MemoryBroker } from '@listen-gateway/core';
import { describe, expect, it } from 'vitest';
import { brokerContract } from './broker-contract.ts';
import { HeldBroker } from './held-broker.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordingListener } from './recording-listener.ts';
import { freshServerId } from './sample-changes.ts';
import { within } from './within.ts';

const open = () => new HeldBroker(new MemoryBroker({ clock: new ManualClock(1_000) }));

brokerContract('held', async () => open(), { carriesBetweenInstances: false });

describe('a held broker', () => {
  it('delivers while it holds the confirmation back, and not to a listener that it refused', async () => {
    const broker = open();
    const serverId = freshServerId();
    const [confirmed, refused] = [new RecordingListener(), new RecordingListener()];
    broker.hold();
    const attaching = [broker.attach(serverId, confirmed), broker.attach(serverId, refused)] as const;
    await broker.publish(serverId, [{ kind: 'tools' }]);
    broker.confirm();
    broker.refuse();
    await within(1_000, 'the confirmation', attaching[0]);
    await expect(attaching[1]).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE' });
    await broker.publish(serverId, [{ kind: 'tools' }]);
    expect(confirmed.changes).toHaveLength(2);
    expect(refused.changes).toHaveLength(1);
    expect(broker.attached(serverId)).toBe(1);
  });
});
