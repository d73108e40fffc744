import type { Change, ServerId, TraceContext } from '@listen-gateway/protocol';

/**
 * Follows a traced change through this instance; called right before the change is marked. Nothing where it is not
 * followed: then hosts are told what came with it. May not throw.
 */
export type Follow = (serverId: ServerId, change: Change, trace: TraceContext) => Followed | undefined;

/** A change that is being followed. */
export interface Followed {
  /** Where its trace stands from here on, which is what hosts are told. */
  readonly trace: TraceContext;
  /** The pass that carried it to so many streams is over; at once where no stream owes it. May not throw. */
  over(streams: number): void;
}
