import type { Clock } from '@listen-gateway/core';
import type { Filter } from '@listen-gateway/protocol';

export interface GrantCacheOptions {
  readonly clock: Clock;
  /** How long a grant is remembered; 0 remembers none. */
  readonly ttlMs: number;
  /** Bound on what all grants together may hold: URIs are long, and hosts choose how many they name. */
  readonly maxCharacters: number;
}

interface Remembered {
  readonly subject: string;
  readonly granted: Filter;
  readonly characters: number;
  readonly until: number;
}

/** What one entry takes beside its URIs and task ids. */
const ENTRY_CHARACTERS = 256;

/** Grants given a short while ago. All are remembered for equally long, so the oldest is the first to go. */
export class GrantCache {
  readonly #options: GrantCacheOptions;
  readonly #grants = new Map<string, Remembered>();
  #characters = 0;

  constructor(options: GrantCacheOptions) {
    this.#options = options;
  }

  recall(key: string): Filter | undefined {
    const remembered = this.#grants.get(key);
    return remembered !== undefined && remembered.until > this.#options.clock.now() ? remembered.granted : undefined;
  }

  /** `key` stands for the whole question, of which `subject` is a part. */
  remember(key: string, subject: string, granted: Filter): void {
    const { clock, ttlMs, maxCharacters } = this.#options;
    const characters = charactersOf(key, granted);
    this.#drop(key);
    for (const [oldest, { until }] of this.#grants) {
      if (until > clock.now() && this.#characters + characters <= maxCharacters) break;
      this.#drop(oldest);
    }
    if (ttlMs === 0 || characters > maxCharacters) return;
    this.#grants.set(key, { subject, granted, characters, until: clock.now() + ttlMs });
    this.#characters += characters;
  }

  /** Forgets what was granted to a principal, or to all of them. */
  forget(subject: string | undefined): void {
    for (const [key, remembered] of this.#grants) {
      if (subject === undefined || remembered.subject === subject) this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#characters -= this.#grants.get(key)?.characters ?? 0;
    this.#grants.delete(key);
  }
}

function charactersOf(key: string, { resourceSubscriptions = [], taskIds = [] }: Filter): number {
  const named = [...resourceSubscriptions, ...taskIds].reduce((sum, name) => sum + name.length, 0);
  return ENTRY_CHARACTERS + key.length + named;
}
