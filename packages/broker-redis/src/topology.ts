import type { Deadline } from './deadline.ts';
import type { RedisNode } from './redis-node.ts';
import type { Wire } from './subscription.ts';

/** Which masters there are, and which of them is in charge of what. */
export interface Topology {
  /** The master in charge of a key or channel; undefined while none is known to be. */
  nodeOf(name: string): RedisNode | undefined;
  /**
   * Runs a command at the master in charge of a key, and again where another one turns out to be, until the deadline.
   * What may have been carried out is never run again.
   */
  run<T>(key: string, deadline: Deadline, command: (node: RedisNode) => Promise<T>): Promise<T>;
  /** Somebody was told by a master that it is not in charge. */
  misrouted(): void;
  /** Why it, or a part of it, is not to be relied on. */
  readonly trouble: string | undefined;
  close(): Promise<void>;
}

/** A master as far as channels are received from it. */
export interface ChannelSource {
  readonly receive: { readonly isUp: boolean };
  readonly pubSub: { readonly wire: Wire };
}

/** Told of what happens on the receive connections. */
export interface TopologyWatcher {
  /** A new receive connection: nothing is subscribed on it. */
  connected(node: ChannelSource): void;
  disconnected(node: ChannelSource): void;
  /** Another master may be in charge of any channel now. */
  rerouted(): void;
  message(node: ChannelSource, channel: string, payload: string): void;
  /** The master has ended a subscription because another one is in charge of the channel now. */
  takenOff(node: ChannelSource, channel: string): void;
}
