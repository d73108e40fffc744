import { hash } from 'node:crypto';
import type { Clock } from '@listen-gateway/core';
import type { Verdict, Verified } from './verdict.ts';

interface Kept {
  readonly verified: Verified;
  readonly until: number;
}

/** Verifies a token; says for how long a good one need not be verified again. */
type Verify = () => Promise<{ readonly verdict: Verdict; readonly keepMs: number }>;

/** Whether what a token was found to be may still be told. */
type Stands = (verified: Verified) => boolean;

/** Tokens kept; the one used least recently makes room. */
const KEPT_TOKENS = 10_000;

/**
 * What tokens were found to be, so that a tool call does not cost a signature or a question. By their hashes, which are
 * all of one length. What was refused is not kept, since anybody can make up as many as there is room for.
 */
export class VerifiedTokens {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #pending = new Map<string, Promise<Verdict>>();
  /** How often something was forgotten: an answer that was under way then may be older, and is not kept. */
  #forgettings = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * What a token was found to be where that still `stands`, else what it is by `verify`, which is called once however
   * many ask at once.
   */
  async find(token: string, verify: Verify, stands: Stands = () => true): Promise<Verdict> {
    const key = hash('sha256', token, 'base64url');
    return this.#current(key, stands) ?? this.#pending.get(key) ?? this.#verify(key, verify);
  }

  /** Verifies the tokens of a principal anew, whatever they were found to be: one of them may have been revoked. */
  forget(subject: string): void {
    this.#forgettings += 1;
    this.#pending.clear();
    for (const [key, { verified }] of this.#kept) if (verified.principal.subject === subject) this.#kept.delete(key);
  }

  #current(key: string, stands: Stands): Verdict | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    // Put back at the end: the first of the map is the one used least recently.
    this.#kept.delete(key);
    if (kept.until <= this.#clock.now() || !stands(kept.verified)) return undefined;
    this.#kept.set(key, kept);
    return kept.verified;
  }

  #verify(key: string, verify: Verify): Promise<Verdict> {
    const forgettings = this.#forgettings;
    const isRecent = () => forgettings === this.#forgettings;
    const pending = verify()
      .then(({ verdict, keepMs }) => {
        if (verdict.ok && isRecent()) this.#keep(key, { verified: verdict, until: this.#clock.now() + keepMs });
        return verdict;
      })
      .finally(() => isRecent() && this.#pending.delete(key));
    this.#pending.set(key, pending);
    return pending;
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    if (this.#kept.size <= KEPT_TOKENS) return;
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      return;
    }
  }
}
