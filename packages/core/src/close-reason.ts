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
  /** Nothing of the requested filter is honored, so there is nothing to wait for. */
  | 'nothing-honored'
  /** The host did not read for longer than the stall limit. */
  | 'slow-host'
  /** Task states may have been missed; only the host can read them again. */
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
  'nothing-honored': true,
  'slow-host': false,
  gap: false,
};

export const CLOSE_REASONS = Object.keys(ENDS_WITH_RESULT) as readonly CloseReason[];
