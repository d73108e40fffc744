import type { Connection } from './connection.ts';
import type { PublishVerb } from './publish-script.ts';
import type { Wire } from './subscription.ts';

/** Which kind of pub/sub carries the changes: the commands of it, in one place. */
export interface PubSub {
  readonly verb: PublishVerb;
  readonly wire: Wire;
  onMessage(listener: (channel: string, payload: string) => void): void;
}

/** Pub/sub as a single Redis has it, with or without replicas. */
export function plainPubSub(receive: Connection): PubSub {
  return {
    verb: 'PUBLISH',
    wire: {
      subscribe: async (channel) => void (await receive.run((client) => client.subscribe(channel))),
      unsubscribe: async (channel) => void (await receive.run((client) => client.unsubscribe(channel))),
    },
    onMessage: (listener) => void receive.client.on('message', listener),
  };
}
