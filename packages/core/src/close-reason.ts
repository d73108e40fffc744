/** Why a stream ended: metric label, log field and what tests assert. */
export type CloseReason =
  /** The host closed its connection, or it broke. */
  | 'host-gone'
  /** The broker did not confirm the server's channel; no byte had been sent. */
  | 'attach-failed'
  /** This instance is shutting down. */
  | 'drain'
  /** The host did not take the end of its stream before the drain's deadline. */
  | 'drain-deadline'
  /** The credential that opened the stream has expired; the host is to come back with a fresh one. */
  | 'token-expired'
  /** A backend ended the principal's streams: logout, revocation. */
  | 'revoked'
  /** Nothing of the requested filter is honored, so there is nothing to wait for. */
  | 'nothing-honored'
  /** The host did not read for longer than the stall limit. */
  | 'slow-host'
  /** Task states or a disconnect may have been missed; the host is to read again, or to show its credential again. */
  | 'gap';

/**
 * Whether the host is sent the listen result first. A result reads as "over, all well"; an end without it is a drop,
 * which hosts answer by listening again (patterns/subscriptions, Graceful Closure).
 */
export const ENDS_WITH_RESULT: Readonly<Record<CloseReason, boolean>> = {
  'host-gone': false,
  'attach-failed': false,
  drain: true,
  'drain-deadline': false,
  'token-expired': false,
  revoked: false,
  'nothing-honored': true,
  'slow-host': false,
  gap: false,
};

export const CLOSE_REASONS = Object.keys(ENDS_WITH_RESULT) as readonly CloseReason[];
