import { setTimeout as delay } from 'node:timers/promises';
import { type BrokerListener, type BrokerStatus, type Detach, MemoryBroker } from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import { systemClock } from '@listen-gateway/service-kit';
import { listenBody, parseFrames, type RpcMessage } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost, rawPost, unchunked } from '../test/raw-host.ts';
import { ACKNOWLEDGED, openGateway, type TestGateway } from '../test/test-gateway.ts';

const URI = 'file:///u';
const STREAMS = 1_000;
/** Listens that are under way at once. */
const AT_ONCE = 50;

/** Delivers from the call of an attach on and confirms a moment later, for each stream anew: the widest window for a race. */
class LateBroker extends MemoryBroker {
  override async attach(serverId: ServerId, listener: BrokerListener): Promise<Detach> {
    const detach = await super.attach(serverId, listener);
    await delay(3);
    return detach;
  }

  /** Makes the instance ask for a confirmation for each stream. */
  override status(): BrokerStatus {
    return { ready: false, reason: 'it was interrupted' };
  }
}

describe('the acknowledgement', () => {
  it('is the first frame of each of 1000 streams opened under 1000 changes a second, and the changes follow (P-1.3, SUB-04, FIELD C1)', async () => {
    const gateway = await openGateway({}, { inner: new LateBroker({ clock: systemClock }) });
    const publisher = publishAtOneKilohertz(gateway);
    try {
      for (let opened = 0; opened < STREAMS; opened += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => openOne(gateway, opened + index)));
      }
    } finally {
      publisher.stop();
    }
    expect(publisher.published).toBeGreaterThan(100);
    await gateway.holds(0);
  }, 60_000);
});

async function openOne(gateway: TestGateway, id: number): Promise<void> {
  const host = await RawHost.connect(gateway.url);
  host.send(rawPost({ body: listenBody(id, { resourceSubscriptions: [URI] }) }));
  await host.until(/resources\/updated/, `a change on stream ${id}`, 20_000);
  const frames = parseFrames(unchunked(host.text).text).map(
    ({ data = 'null' }) => JSON.parse(data) as RpcMessage | null,
  );
  const acknowledged = frames.map((message) => message?.method === ACKNOWLEDGED);
  expect([acknowledged.indexOf(true), acknowledged.lastIndexOf(true)]).toEqual([0, 0]);
  host.socket.destroy();
}

/** Publishes as many changes as milliseconds have passed, in each turn of the event loop. */
function publishAtOneKilohertz(gateway: TestGateway) {
  const startedAt = performance.now();
  const publisher = { published: 0, stop: () => clearInterval(timer) };
  const timer = setInterval(() => {
    for (; publisher.published < performance.now() - startedAt; publisher.published += 1) {
      void gateway.publish({ kind: 'resource', uri: URI });
    }
  }, 1);
  return publisher;
}
