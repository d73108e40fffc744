import { setTimeout as pause } from 'node:timers/promises';
import type { Draft } from './drafts.ts';
import { type BackendRecord, nowMs } from './records.ts';

export interface Publishing {
  readonly server: string;
  readonly drafts: readonly Draft[];
  /** Without one a repetition is another publish. */
  readonly idempotencyKey?: string;
  /** Sent in place of the drafts' bodies. */
  readonly body?: unknown;
}

/** What came of an attempt; `unclear` where the changes may have been published or not. */
export type Answer = 'accepted' | 'refused' | 'unclear';

export interface PublisherEndpoint {
  readonly name: string;
  readonly url: string;
}

/** A backend waits longer than a publisher may take. */
const ANSWER_LIMIT_MS = 10_000;

/** Publishes over HTTP as any backend does, and records every attempt. */
export class Backend {
  readonly #publishers: readonly PublisherEndpoint[];
  readonly #record: (record: BackendRecord) => void;
  readonly #stopping: AbortSignal;
  #attempts = 0;
  #publishes = 0;

  constructor(
    publishers: readonly PublisherEndpoint[],
    record: (record: BackendRecord) => void,
    stopping: AbortSignal,
  ) {
    this.#publishers = publishers;
    this.#record = record;
    this.#stopping = stopping;
  }

  /** One attempt. */
  async publish(publishing: Publishing): Promise<Answer> {
    return (await this.#attempt(publishing, this.#publishes++)).answer;
  }

  /** With a key: tries again until it is accepted, refused for good, or nobody waits for it any more. */
  async publishSurely(publishing: Publishing & { readonly idempotencyKey: string }): Promise<Answer> {
    const publish = this.#publishes++;
    for (;;) {
      const { answer, retryAfterS } = await this.#attempt(publishing, publish);
      if (answer !== 'unclear' || this.#stopping.aborted) return answer;
      const waitMs = retryAfterS === undefined ? 200 + Math.random() * 300 : retryAfterS * 1_000;
      await pause(waitMs, undefined, { signal: this.#stopping }).catch(() => {});
    }
  }

  async #attempt(
    { server, drafts, idempotencyKey, body }: Publishing,
    publish: number,
  ): Promise<{ answer: Answer; retryAfterS?: number | undefined }> {
    const attempt = this.#attempts++;
    const publisher = this.#publishers[attempt % this.#publishers.length]!;
    const changes = drafts.map(({ body: _unrecorded, ...change }) => change);
    const text = JSON.stringify(body ?? { changes: drafts.map((draft) => draft.body) });
    const at = nowMs();
    this.#record({ type: 'published', at, attempt, publish, publisher: publisher.name, server, changes });
    try {
      const response = await fetch(`${publisher.url}/v1/servers/${server}/changes`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        },
        body: text,
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      const answeredAt = nowMs();
      await response.arrayBuffer();
      const { status, headers } = response;
      const retryAfter = headers.get('Retry-After');
      const retryAfterS = retryAfter === null ? undefined : Number(retryAfter);
      const replayed = headers.get('Idempotency-Replayed') === 'true';
      this.#record({ type: 'answered', at: answeredAt, attempt, status, replayed, retryAfterS });
      return { answer: answerOf(status), retryAfterS };
    } catch (cause) {
      this.#record({ type: 'unanswered', at: nowMs(), attempt, why: whyOf(cause) });
      return { answer: 'unclear' };
    }
  }
}

function answerOf(status: number): Answer {
  if (status === 202) return 'accepted';
  return status < 500 ? 'refused' : 'unclear';
}

function whyOf(cause: unknown): string {
  const { name, cause: deeper } = cause as { readonly name?: string; readonly cause?: { readonly code?: string } };
  return deeper?.code ?? name ?? 'unknown';
}
