import { setTimeout as pause } from 'node:timers/promises';
import type { ServerId } from '@listen-gateway/protocol';
import type { Page } from './continuity.ts';
import type { JournalId } from './journal-entry.ts';
import type { RedisKeys } from './redis-keys.ts';
import type { RedisObserver } from './redis-observer.ts';
import { Turns } from './turns.ts';

/** Who wants its journal read. */
export interface CatchUpReader {
  readonly serverId: ServerId;
  readonly keys: RedisKeys;
  readonly wantsRead: boolean;
  /** The id to read from; undefined asks for the latest id alone. */
  beginRead(): JournalId | undefined;
  /** Takes what the read brought and returns how many changes it delivered. */
  page(page: Page): number;
}

export type ReadPage = (keys: RedisKeys, from: JournalId | undefined) => Promise<Page>;

/** At a reconnect every attached server wants a read at once; more in flight would only lengthen Redis' queue. */
const CONCURRENT_READS = 32;

/** Reads journals until their readers have what they want: never two reads at once for one, and no giving up. */
export class CatchUps {
  readonly #readPage: ReadPage;
  readonly #observer: RedisObserver;
  readonly #running = new Set<CatchUpReader>();
  readonly #turns = new Turns(CONCURRENT_READS);
  readonly #closing = new AbortController();

  constructor(readPage: ReadPage, observer: RedisObserver) {
    this.#readPage = readPage;
    this.#observer = observer;
  }

  /** Sees to it that the journal is read; does nothing while it is. */
  request(reader: CatchUpReader): void {
    if (this.#running.has(reader)) return;
    this.#running.add(reader);
    this.#run(reader).catch((cause) => this.#observer.fault?.(cause));
  }

  close(): void {
    this.#closing.abort();
  }

  async #run(reader: CatchUpReader): Promise<void> {
    const startedAt = performance.now();
    let missed: number | undefined;
    try {
      for (let failures = 0; reader.wantsRead && !this.#closing.signal.aborted; ) {
        const read = await this.#turns.take(() => this.#readOnce(reader));
        if (read) {
          failures = 0;
          const delivered = reader.page(read.page);
          if (read.from !== undefined) missed = (missed ?? 0) + delivered;
        } else {
          failures += 1;
          await this.#backOff(failures);
        }
      }
    } finally {
      // In the same breath as the last look at `wantsRead`: a request in between would be lost.
      this.#running.delete(reader);
    }
    if (missed !== undefined) this.#observer.caughtUp?.(reader.serverId, missed, performance.now() - startedAt);
  }

  async #readOnce(reader: CatchUpReader): Promise<{ from: JournalId | undefined; page: Page } | undefined> {
    const from = reader.beginRead();
    try {
      return { from, page: await this.#readPage(reader.keys, from) };
    } catch (cause) {
      this.#observer.readFailed?.(reader.serverId, cause);
      return undefined;
    }
  }

  async #backOff(failures: number): Promise<void> {
    const delayMs = Math.min(1_000, 25 * 2 ** Math.min(failures, 8)) * (0.5 + Math.random() / 2);
    await pause(delayMs, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}
