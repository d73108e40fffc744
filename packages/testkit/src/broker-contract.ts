import type { Broker } from '@listen-gateway/core';
import { afterEach, describe } from 'vitest';
import { attachContract } from './broker-contract-attach.ts';
import { publishContract } from './broker-contract-publish.ts';

export interface BrokerTraits {
  /** Whether a change published through one broker reaches listeners that attached through another. */
  readonly carriesBetweenInstances: boolean;
}

/** Opens one more broker on the same medium; the suite closes it. */
export type OpenBroker = () => Promise<Broker>;

/** What every broker does: the promises of core's `Broker` port as a suite. Call it from a test file of the broker. */
export function brokerContract(name: string, openBroker: OpenBroker, traits: BrokerTraits): void {
  const opened: Broker[] = [];
  const open: OpenBroker = async () => {
    const broker = await openBroker();
    opened.push(broker);
    return broker;
  };

  describe(`the ${name} broker`, () => {
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((broker) => broker.close()));
    });
    attachContract(open, traits);
    publishContract(open, traits);
  });
}
