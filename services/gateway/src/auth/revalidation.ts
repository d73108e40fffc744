import type { Cancel, Clock, Principal, Streams } from '@listen-gateway/core';
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
    const due = this.#watched().values();
    const asks = Array.from({ length: AT_ONCE }, async () => {
      for (const { credential, principals } of due) await this.#ask(credential, principals);
    });
    await Promise.all(asks);
  }

  /** Streams that share a credential are asked about once. */
  #watched(): ReadonlyMap<string, Watched> {
    const watched = new Map<string, Watched>();
    for (const { principal } of this.#options.streams.open) {
      const credential = principal === undefined ? undefined : this.#credentials.get(principal);
      if (principal === undefined || credential === undefined) continue;
      const group = watched.get(credential.key) ?? { credential, principals: new Set() };
      group.principals.add(principal);
      watched.set(credential.key, group);
    }
    return watched;
  }

  async #ask(credential: Credential, principals: ReadonlySet<Principal>): Promise<void> {
    if ((await credential.recheck()) !== 'gone' || this.#stopped) return;
    for (const stream of this.#options.streams.open) {
      if (stream.principal !== undefined && principals.has(stream.principal)) stream.end('revoked');
    }
  }
}

interface Watched {
  readonly credential: Credential;
  readonly principals: Set<Principal>;
}
