import { setTimeout as delay } from 'node:timers/promises';
import type { DetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import type { Publisher } from './publisher.ts';
import { textResult } from './text-result.ts';

/** How long a task takes: so many steps of so many milliseconds each. */
export interface TaskPlan {
  readonly label: string;
  readonly steps: number;
  readonly stepMs: number;
}

interface RunningTask {
  detail: DetailedTaskV2;
  readonly abort: AbortController;
  ended: Promise<void>;
}

const TASK_TTL_MS = 300_000;
const MAX_TASKS = 100;

/**
 * The tasks of a sample server (SEP-2663). Each change of a task is published as `notifications/tasks` with the whole
 * task, in order, and only after `find` would return the same.
 */
export class Tasks {
  readonly #publisher: Publisher;
  readonly #tasks = new Map<string, RunningTask>();

  constructor(publisher: Publisher) {
    this.#publisher = publisher;
  }

  /** Starts a task; `undefined` while there are as many as the server keeps. */
  start(plan: TaskPlan): DetailedTaskV2 | undefined {
    this.#forgetExpired();
    if (this.#tasks.size >= MAX_TASKS) return undefined;
    const now = new Date().toISOString();
    const detail: DetailedTaskV2 = {
      taskId: crypto.randomUUID(),
      status: 'working',
      statusMessage: `${plan.label}: 0 of ${plan.steps} steps`,
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: TASK_TTL_MS,
      pollIntervalMs: plan.stepMs,
    };
    const running: RunningTask = { detail, abort: new AbortController(), ended: Promise.resolve() };
    this.#tasks.set(detail.taskId, running);
    running.ended = this.#run(running, plan);
    return detail;
  }

  /** The task as `tasks/get` returns it now. */
  find(taskId: string): DetailedTaskV2 | undefined {
    this.#forgetExpired();
    return this.#tasks.get(taskId)?.detail;
  }

  /** Asks a task to stop; `false` if there is none. A task that has ended stays as it ended. */
  cancel(taskId: string): boolean {
    const running = this.#tasks.get(taskId);
    running?.abort.abort();
    return running !== undefined;
  }

  /** Cancels what still runs and waits until that has been published. */
  async close(): Promise<void> {
    for (const task of this.#tasks.values()) task.abort.abort();
    await Promise.all([...this.#tasks.values()].map((task) => task.ended));
  }

  async #run(running: RunningTask, plan: TaskPlan): Promise<void> {
    await this.#publish(running);
    try {
      for (let step = 1; step <= plan.steps; step++) {
        await delay(plan.stepMs, undefined, { signal: running.abort.signal });
        if (step < plan.steps) await this.#update(running, { statusMessage: progress(plan, step) });
      }
    } catch {
      await this.#update(running, { status: 'cancelled', statusMessage: `${plan.label}: cancelled` });
      return;
    }
    await this.#update(running, {
      status: 'completed',
      statusMessage: progress(plan, plan.steps),
      result: textResult(`${plan.label}: done`),
    });
  }

  async #update(running: RunningTask, change: object): Promise<void> {
    running.detail = { ...running.detail, ...change, lastUpdatedAt: new Date().toISOString() } as DetailedTaskV2;
    await this.#publish(running);
  }

  async #publish({ detail }: RunningTask): Promise<void> {
    await this.#publisher.publish({ kind: 'task', task: { ...detail } });
  }

  #forgetExpired(): void {
    const oldest = Date.now() - TASK_TTL_MS;
    for (const [taskId, { detail }] of this.#tasks) {
      if (detail.status !== 'working' && Date.parse(detail.createdAt) < oldest) this.#tasks.delete(taskId);
    }
  }
}

function progress(plan: TaskPlan, step: number): string {
  return `${plan.label}: ${step} of ${plan.steps} steps`;
}
