import type { ServerId } from '@listen-gateway/protocol';

/**
 * Commands and messages travel apart: a connection that receives may not publish on older servers, and blocks nothing.
 * Publishes that wait for replicas travel apart from other commands, because they hold up their connection.
 */
export type ConnectionRole = 'commands' | 'publish' | 'receive';

/** Told of what an operator wants to see; for logs and metrics. No method may throw. */
export interface RedisObserver {
  /** Of a cluster: the last connection of the role that was missing. */
  connected?(role: ConnectionRole): void;
  /** Also reported for each attempt to connect that failed. */
  disconnected?(role: ConnectionRole, cause: unknown): void;
  /** A probe was published, and came back on the receive connection `tookMs` later. */
  probed?(tookMs: number): void;
  /** Redis refused to subscribe, usually because the ACL user lacks the channel. */
  refused?(channel: string, cause: unknown): void;
  /** Something on the channel or in the journal of a server was no change and was skipped. */
  badPayload?(serverId: ServerId): void;
  /** A catch-up delivered so many missed changes. */
  caughtUp?(serverId: ServerId, missed: number, tookMs: number): void;
  /** A read of the journal failed and will be tried again. */
  readFailed?(serverId: ServerId, cause: unknown): void;
  gap?(serverId: ServerId): void;
  /** A failover has eaten a change that this process had been told is accepted; every instance reports a gap. */
  lost?(serverId: ServerId): void;
  /** A listener threw, which a listener may not, or a task in the background failed. */
  fault?(cause: unknown): void;
}
