import type { Filter, ListKind, ResourceChange, TaskChange, TaskStatus, TraceContext } from '@listen-gateway/protocol';
import type { ListTraces } from './list-traces.ts';

/** One bit for each kind of list, so that what is owed of them is one small integer. */
export const LIST_BITS = { tools: 1, prompts: 2, resources: 4 } as const satisfies Record<ListKind, number>;

/** What a stream owes its host, taken out of the outbox to be written. */
export interface Owed {
  /** Bits of `LIST_BITS`. */
  readonly lists: number;
  readonly uris: readonly string[];
  readonly tasks: readonly TaskChange[];
}

/**
 * A set, not a queue: these notifications say "read again", so a second unsent one of the same change key adds
 * nothing, and a task state is replaced by its newer state. What is owed is therefore bounded by the honored filter.
 *
 * The first URI and the first task are kept in fields: almost every fan-out owes just one thing, and then nothing is
 * allocated for the stream. Of several changes that became one notification the latest trace is kept: it is of no
 * account for what is owed, and where no change is traced there is none to keep.
 */
export class Outbox {
  #lists = 0;
  #listTraces: ListTraces | undefined;
  #uri: string | undefined;
  #tracedUri: ResourceChange | undefined;
  #moreUris: Map<string, ResourceChange | undefined> | undefined;
  #task: TaskChange | undefined;
  #moreTasks: Map<string, TaskChange> | undefined;

  get isEmpty(): boolean {
    return this.#lists === 0 && this.#uri === undefined && this.#task === undefined;
  }

  /** Notes that a list changed; false where that was owed already. */
  oweList(kind: ListKind, traces?: ListTraces): boolean {
    const before = this.#lists;
    if (traces !== undefined) this.#listTraces = this.#listTraces?.with(traces) ?? traces;
    this.#lists |= LIST_BITS[kind];
    return this.#lists !== before;
  }

  /** Notes that a resource changed, and the change itself if it is traced; false where that was owed already. */
  oweUri(uri: string, traced?: ResourceChange): boolean {
    if (this.#uri === undefined || this.#uri === uri) {
      const isNew = this.#uri === undefined;
      this.#uri = uri;
      if (traced !== undefined) this.#tracedUri = traced;
      return isNew;
    }
    this.#moreUris ??= new Map();
    const isNew = !this.#moreUris.has(uri);
    if (isNew || traced !== undefined) this.#moreUris.set(uri, traced);
    return isNew;
  }

  /** How many notifications are owed. */
  get size(): number {
    const { tools, prompts, resources } = LIST_BITS;
    const has = (bit: number) => ((this.#lists & bit) === 0 ? 0 : 1);
    const tasks = this.#task === undefined ? 0 : 1 + (this.#moreTasks?.size ?? 0);
    return has(tools) + has(prompts) + has(resources) + this.owedUris + tasks;
  }

  /** How many URIs are owed. */
  get owedUris(): number {
    return this.#uri === undefined ? 0 : 1 + (this.#moreUris?.size ?? 0);
  }

  /** Notes a task's newer state; false where it took the place of an unsent one. A terminal state stays (P-4.3). */
  oweTask(change: TaskChange): boolean {
    const { taskId } = change.task;
    const unsent = this.#task?.task.taskId === taskId ? this.#task : this.#moreTasks?.get(taskId);
    if (unsent !== undefined && isTerminal(unsent.task.status) && !isTerminal(change.task.status)) return false;
    if (this.#task === undefined || this.#task.task.taskId === taskId) this.#task = change;
    else {
      this.#moreTasks ??= new Map();
      this.#moreTasks.set(taskId, change);
    }
    return unsent === undefined;
  }

  /** After a gap: everything of the honored filter that can be read again may have changed. */
  oweEverything(honored: Filter): void {
    if (honored.toolsListChanged) this.oweList('tools');
    if (honored.promptsListChanged) this.oweList('prompts');
    if (honored.resourcesListChanged) this.oweList('resources');
    for (const uri of honored.resourceSubscriptions ?? []) this.oweUri(uri);
  }

  /** The bits of the lists owed, where nothing else is; the common case, answered without allocating. */
  get listsOnly(): number | undefined {
    return this.#uri === undefined && this.#task === undefined ? this.#lists : undefined;
  }

  /** The traces of the lists owed, if any of them has one. */
  get listTraces(): ListTraces | undefined {
    return this.#listTraces;
  }

  /** The traced change of the first URI owed, if it has one. */
  get tracedUri(): ResourceChange | undefined {
    return this.#tracedUri;
  }

  /** The trace of a URI owed, if it has one. */
  traceOf(uri: string): TraceContext | undefined {
    return (uri === this.#uri ? this.#tracedUri : this.#moreUris?.get(uri))?.trace;
  }

  /** The URI owed, where nothing else is. */
  get uriOnly(): string | undefined {
    return this.#lists === 0 && this.#task === undefined && this.#moreUris === undefined ? this.#uri : undefined;
  }

  /** The task state owed, where nothing else is. */
  get taskOnly(): TaskChange | undefined {
    return this.#lists === 0 && this.#uri === undefined && this.#moreTasks === undefined ? this.#task : undefined;
  }

  /** All that is owed: lists, then URIs, then tasks, each in the order they came. */
  get owed(): Owed {
    return {
      lists: this.#lists,
      uris: this.#uri === undefined ? [] : [this.#uri, ...(this.#moreUris?.keys() ?? [])],
      tasks: this.#task === undefined ? [] : [this.#task, ...(this.#moreTasks?.values() ?? [])],
    };
  }

  clear(): void {
    this.#lists = 0;
    this.#listTraces = undefined;
    this.#uri = undefined;
    this.#tracedUri = undefined;
    this.#moreUris = undefined;
    this.#task = undefined;
    this.#moreTasks = undefined;
  }
}

function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
