import type { DetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import type { Publisher } from './publisher.ts';
import { TASK_TTL_MS, Task, type Work } from './task.ts';

/** A host may have started so many tasks: what anybody may start needs a bound. */
const MAX_TASKS = 100;

/** The tasks of one sample server, running and ended. */
export class Tasks {
  readonly #publisher: Publisher;
  readonly #tasks = new Map<string, Task>();
  readonly #running = new Set<Promise<void>>();

  constructor(publisher: Publisher) {
    this.#publisher = publisher;
  }

  /** Starts a task and returns its first state; `undefined` while there are as many as the server keeps. */
  start(work: Work): DetailedTaskV2 | undefined {
    this.#forgetExpired();
    if (this.#tasks.size >= MAX_TASKS) return undefined;
    const task = new Task(
      async (detail) => void (await this.#publisher.publish({ kind: 'task', task: { ...detail } })),
    );
    // Found before it runs: a host that is told of its first state may ask for it at once.
    this.#tasks.set(task.taskId, task);
    const created = task.detail;
    const running = task.run(work).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return created;
  }

  find(taskId: string): Task | undefined {
    this.#forgetExpired();
    return this.#tasks.get(taskId);
  }

  /** Cancels what still runs and waits until that has been published. */
  async close(): Promise<void> {
    for (const task of this.#tasks.values()) task.cancel();
    await Promise.all(this.#running);
  }

  #forgetExpired(): void {
    for (const [taskId, task] of this.#tasks) {
      if (Date.now() - task.startedAt < TASK_TTL_MS) continue;
      task.cancel();
      this.#tasks.delete(taskId);
    }
  }
}
