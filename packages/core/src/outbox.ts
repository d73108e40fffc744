import type { Filter, ListKind, TaskChange, TaskStatus } from '@listen-gateway/protocol';

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
 * allocated for the stream.
 */
export class Outbox {
  #lists = 0;
  #uri: string | undefined;
  #moreUris: Set<string> | undefined;
  #task: TaskChange | undefined;
  #moreTasks: Map<string, TaskChange> | undefined;

  get isEmpty(): boolean {
    return this.#lists === 0 && this.#uri === undefined && this.#task === undefined;
  }

  /** Notes that a list changed; false where that was owed already. */
  oweList(kind: ListKind): boolean {
    const before = this.#lists;
    this.#lists |= LIST_BITS[kind];
    return this.#lists !== before;
  }

  /** Notes that a resource changed; false where that was owed already. */
  oweUri(uri: string): boolean {
    if (this.#uri === undefined) {
      this.#uri = uri;
      return true;
    }
    if (this.#uri === uri || this.#moreUris?.has(uri)) return false;
    this.#moreUris ??= new Set();
    this.#moreUris.add(uri);
    return true;
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
      uris: this.#uri === undefined ? [] : [this.#uri, ...(this.#moreUris ?? [])],
      tasks: this.#task === undefined ? [] : [this.#task, ...(this.#moreTasks?.values() ?? [])],
    };
  }

  clear(): void {
    this.#lists = 0;
    this.#uri = undefined;
    this.#moreUris = undefined;
    this.#task = undefined;
    this.#moreTasks = undefined;
  }
}

function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
