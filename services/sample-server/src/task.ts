import type { DetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import type { CallToolResult, InputRequests } from '@modelcontextprotocol/server';

/** What the work of a task may do while it runs. */
export interface TaskContext {
  /** Aborted when the task is cancelled. */
  readonly signal: AbortSignal;
  /** Tells people how far the work is. */
  say(message: string): Promise<void>;
  /** Resolves once the host has answered all of it, with its unchecked answers; a key may be used once in a task. */
  ask(requests: InputRequests): Promise<Answers>;
}

/** The work of a task. What it returns completes the task, a tool error too; what it throws fails it. */
export type Work = (task: TaskContext) => Promise<CallToolResult>;

/** What a host answered, by the key of the question. */
export type Answers = Record<string, unknown>;

interface Question {
  readonly open: Map<string, unknown>;
  readonly answers: Answers;
  readonly answered: () => void;
}

/** How long a task is kept, counted from its start. */
export const TASK_TTL_MS = 300_000;

/** One task (SEP-2663). Each of its states is published whole, in order, and not before `detail` shows it. */
export class Task implements TaskContext {
  readonly taskId = crypto.randomUUID();
  readonly startedAt = Date.now();
  readonly #abort = new AbortController();
  readonly #publish: (detail: DetailedTaskV2) => Promise<void>;
  #detail: DetailedTaskV2 = this.#state('working', {});
  #question: Question | undefined;

  constructor(publish: (detail: DetailedTaskV2) => Promise<void>) {
    this.#publish = publish;
  }

  /** The task as `tasks/get` returns it now. */
  get detail(): DetailedTaskV2 {
    return this.#detail;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Does the work; resolves once the last state is published, and never rejects. */
  async run(work: Work): Promise<void> {
    await this.#publish(this.#detail);
    try {
      const result = await work(this);
      await this.#become('completed', { result });
    } catch {
      if (this.signal.aborted) await this.#become('cancelled', {});
      else await this.#become('failed', { error: { code: -32603, message: 'The work of this task broke off' } });
    }
  }

  say(message: string): Promise<void> {
    return this.#become('working', { statusMessage: message });
  }

  async ask(requests: InputRequests): Promise<Answers> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.signal.addEventListener('abort', () => reject(this.signal.reason), { once: true });
    const question: Question = { open: new Map(Object.entries(requests)), answers: {}, answered: resolve };
    this.#question = question;
    await Promise.all([this.#become('input_required', { inputRequests: requests }), promise]);
    this.#question = undefined;
    await this.#become('working', {});
    return question.answers;
  }

  /** Takes answers of the host; those to what is not asked, or not any more, are ignored, as the extension wants. */
  async answer(responses: Answers): Promise<void> {
    const question = this.#question;
    if (!question) return;
    for (const [key, response] of Object.entries(responses)) {
      if (question.open.delete(key)) question.answers[key] = response;
    }
    if (question.open.size === 0) question.answered();
    else await this.#become('input_required', { inputRequests: Object.fromEntries(question.open) });
  }

  /** Asks the work to stop; a task that has ended stays as it ended. */
  cancel(): void {
    this.#abort.abort();
  }

  async #become(status: DetailedTaskV2['status'], members: object): Promise<void> {
    this.#detail = this.#state(status, members);
    await this.#publish(this.#detail);
  }

  #state(status: DetailedTaskV2['status'], members: object): DetailedTaskV2 {
    return {
      taskId: this.taskId,
      status,
      createdAt: new Date(this.startedAt).toISOString(),
      lastUpdatedAt: new Date().toISOString(),
      ttlMs: TASK_TTL_MS,
      pollIntervalMs: 500,
      ...members,
    } as DetailedTaskV2;
  }
}
