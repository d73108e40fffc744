import type { Cancel, Clock, Principal, Stream, Streams } from '@listen-gateway/core';
import type { Credential } from './verdict.ts';

export interface RevalidationOptions {
  readonly streams: Pick<Streams, 'open'>;
  readonly clock: Clock;
  /** Time between one round and the next. */
  readonly everyMs: number;
  /** Told of what should not happen. */
  readonly onFault: (error: unknown) => void;
}

/** Questions under way at once; an issuer is not to be flooded by all streams of an instance. */
const AT_ONCE = 8;

/** Asks again, from time to time, about the credentials of open streams, and ends those whose credential is gone (FIELD D6). */
export class Revalidation {
  readonly #options: RevalidationOptions;
  readonly #credentials = new WeakMap<Principal, Credential>();
  /** Of the last round: what is kept for no longer than from one to the next may have been let in by one of them. */
  readonly #gone = new Set<string>();
  #cancel: Cancel = () => {};
  #stopped = false;

  constructor(options: RevalidationOptions) {
    this.#options = options;
    this.#arm();
  }

  /** The stream that is opened for this principal was let in by this credential. */
  watch(principal: Principal, credential: Credential): void {
    this.#credentials.set(principal, credential);
  }

  /** Whether a credential was found to be gone, so that what it let in must be verified anew. */
  isGone({ key }: Credential): boolean {
    return this.#gone.has(key);
  }

  /** Asks about nothing any more. Stopping twice is fine. */
  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #arm(): void {
    if (this.#stopped) return;
    const { clock, everyMs, onFault } = this.#options;
    this.#cancel = clock.after(everyMs, () => {
      this.#round()
        .catch(onFault)
        .finally(() => this.#arm());
    });
  }

  async #round(): Promise<void> {
    this.#gone.clear();
    const due = this.#watched().values();
    const asks = Array.from({ length: AT_ONCE }, async () => {
      for (const watched of due) await this.#ask(watched);
    });
    await Promise.all(asks);
  }

  /** Streams that share a credential are asked about once. */
  #watched(): ReadonlyMap<string, Watched> {
    const watched = new Map<string, Watched>();
    for (const stream of this.#options.streams.open) {
      const credential = stream.principal && this.#credentials.get(stream.principal);
      if (credential === undefined) continue;
      const group = watched.get(credential.key) ?? { credential, streams: [] };
      group.streams.push(stream);
      watched.set(credential.key, group);
    }
    return watched;
  }

  async #ask({ credential, streams }: Watched): Promise<void> {
    if (this.#stopped || (await credential.recheck()) !== 'gone' || this.#stopped) return;
    // Before the streams end: their hosts come back at once, and are not to be let in only to be dropped again.
    this.#gone.add(credential.key);
    // One that is over by now takes no notice.
    for (const stream of streams) stream.end('revoked');
  }
}

interface Watched {
  readonly credential: Credential;
  readonly streams: Stream[];
}
