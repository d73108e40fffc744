import type { Connection } from './connection.ts';
import type { PublishVerb } from './publish-script.ts';
import type { Wire } from './subscription.ts';

/** Which kind of pub/sub carries the changes: the commands of it, in one place. */
export interface PubSub {
  readonly verb: PublishVerb;
  readonly wire: Wire;
  onMessage(listener: (channel: string, payload: string) => void): void;
  /** Names each channel that the server has taken off a connection that is well. */
  onTaken(listener: (channel: string) => void): void;
}

/** Pub/sub as a single Redis has it, with or without replicas. */
export function plainPubSub(receive: Connection): PubSub {
  return {
    verb: 'PUBLISH',
    wire: {
      get history() {
        return receive.history;
      },
      subscribe: async (channel) => void (await receive.run((client) => client.subscribe(channel))),
      unsubscribe: async (channel) => void (await receive.run((client) => client.unsubscribe(channel))),
    },
    onMessage: (listener) => void receive.client.on('message', listener),
    // Only a cluster does that.
    onTaken: () => {},
  };
}

/**
 * Pub/sub within one slot of a cluster. The node that loses a slot takes the channels in it off their subscribers'
 * connections. ioredis notices (`moved`) and strikes them off its list without saying which they were.
 */
export function shardedPubSub(receive: Connection): PubSub {
  const joined = new Set<string>();
  let moves = 0;
  receive.watch({ disconnected: () => joined.clear() });
  receive.client.on('moved', () => {
    moves += 1;
  });
  return {
    verb: 'SPUBLISH',
    wire: {
      get history() {
        return receive.history;
      },
      subscribe: async (channel) => {
        const movesBefore = moves;
        await receive.run((client) => client.ssubscribe(channel));
        const isTaken = moves !== movesBefore && !subscribedOn(receive).has(channel);
        if (isTaken) throw new Error(`${channel} was taken off at once`);
        joined.add(channel);
      },
      unsubscribe: async (channel) => {
        joined.delete(channel);
        await receive.run((client) => client.sunsubscribe(channel));
      },
    },
    onMessage: (listener) => void receive.client.on('smessage', listener),
    onTaken: (listener) => {
      receive.client.on('moved', () => {
        const left = subscribedOn(receive);
        for (const channel of [...joined]) {
          if (!left.has(channel) && joined.delete(channel)) listener(channel);
        }
      });
    },
  };
}

function subscribedOn({ client }: Connection): ReadonlySet<string> {
  return new Set(client.condition?.subscriber ? client.condition.subscriber.channels('ssubscribe') : []);
}
