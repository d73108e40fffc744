/** What may be broken. */
export type ViolationKind =
  /** An accepted change was not signalled on a stream that asked for it and lived on. */
  | 'unsignalled'
  /** It was, but later than it may be. */
  | 'late'
  | 'not-acknowledged-first'
  | 'wrong-tag'
  | 'outside-filter'
  | 'after-the-end'
  | 'garbled'
  /** An older state of a task followed a newer one. */
  | 'task-order'
  /** More signals than publishes and gaps explain; a publish that was refused for good explains none. */
  | 'excess'
  | 'bad-refusal'
  | 'bad-answer'
  /** A change was accepted, or a stream acknowledged, although Redis could not be reached. */
  | 'accepted-while-cut-off'
  | 'acknowledged-while-cut-off'
  | 'not-live'
  | 'wrong-readiness'
  | 'died'
  | 'bad-exit'
  /** A stream ended although nobody ended it. */
  | 'ended-without-cause'
  | 'gap-without-cause'
  | 'not-recovered';

export interface Violation {
  readonly kind: ViolationKind;
  readonly at: number;
  /** The instance or other service that is to blame, where one is. */
  readonly where?: string;
  readonly text: string;
}
