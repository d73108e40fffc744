import type { TraceContext } from './trace-context.ts';

/** The three kinds of list that can change. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** Everything a backend can publish. */
export type ChangeKind = ListKind | 'resource' | 'task';

/** Narrows delivery to the streams of these principals; absent means every stream that asked. */
export interface Audience {
  readonly subjects: readonly string[];
}

/**
 * What happened on a server; carries no subscription id, because it is not yet on any stream. Its trace, if it has one,
 * says in the course of what, and no more than that: two changes that differ in it alone mean the same.
 */
export type Change = ListChange | ResourceChange | TaskChange;

export interface ListChange {
  readonly kind: ListKind;
  readonly audience?: Audience;
  readonly trace?: TraceContext;
}

export interface ResourceChange {
  readonly kind: 'resource';
  readonly uri: string;
  readonly audience?: Audience;
  readonly trace?: TraceContext;
}

export interface TaskChange {
  readonly kind: 'task';
  readonly task: Task;
  readonly audience?: Audience;
  readonly trace?: TraceContext;
}

/**
 * Ends the streams of a principal on this server, for logout and revocation. Not a notification: no host is told of it,
 * but it takes the same way to every instance that may hold such a stream.
 */
export interface Disconnect {
  readonly kind: 'disconnect';
  readonly subject: string;
  /** Only the streams opened in this session, or with this token. */
  readonly sid?: string | undefined;
  readonly jti?: string | undefined;
}

/** Everything that a broker carries. */
export type Published = Change | Disconnect;

/** The full task, member for member as `tasks/get` would return it at that moment (SEP-2663). */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly [member: string]: unknown;
}

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** The notification method that each kind of change is on the wire. */
export const NOTIFICATION_METHODS = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  resource: 'notifications/resources/updated',
  task: 'notifications/tasks',
} as const satisfies Record<ChangeKind, string>;
