import type { Clock } from '@listen-gateway/core';
import type { ChangeCapabilities } from '@listen-gateway/protocol';
import { type MergedDiscover, mergeDiscover } from './merged-discover.ts';

/** What an upstream said when it was asked `server/discover`. */
export type DiscoverAnswer =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  /** It answered, but not with a result: it may speak an older revision only. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'unreachable' };

export type Discovered =
  | ({ readonly kind: 'merged' } & MergedDiscover)
  | { readonly kind: 'refused' }
  | { readonly kind: 'unreachable' };

export interface DiscoveryOptions {
  readonly clock: Clock;
  /** What the configuration lets the gateway announce. */
  readonly configured: ChangeCapabilities;
  /** Asks the upstream, bearing a credential where one goes there; never rejects. */
  ask(credential: string | undefined): Promise<DiscoverAnswer>;
}

interface Kept {
  readonly until: number;
  readonly answer: Promise<Discovered>;
}

/** However short an upstream's `ttlMs`, hosts that come back together do not all ask it anew. */
const LEAST_TTL_MS = 1_000;
/** Answers kept for single credentials; the oldest makes room. */
const KEPT_CREDENTIALS = 1_000;

/**
 * The discover answers of one upstream: fetched once and kept for its `ttlMs`, for everybody where `cacheScope` is
 * public, else for each credential apart (server/utilities/caching).
 */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #kept = new Map<Key, Kept>();

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  /** The answer for a host with this credential. */
  discover(credential: string | undefined): Promise<Discovered> {
    return this.#current(EVERYBODY) ?? this.#current(credential) ?? this.#fetch(credential);
  }

  #current(key: Key): Promise<Discovered> | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.until > this.#options.clock.now()) return kept.answer;
    this.#kept.delete(key);
    return undefined;
  }

  #fetch(credential: string | undefined): Promise<Discovered> {
    // Kept while it is under way, so that a thousand listens at once ask once.
    const answer = this.#ask(credential).then(({ discovered, ttlMs, isPublic }) => {
      this.#keep(isPublic ? EVERYBODY : credential, {
        until: this.#options.clock.now() + ttlMs,
        answer: Promise.resolve(discovered),
      });
      if (isPublic) this.#kept.delete(credential);
      return discovered;
    });
    this.#keep(credential, { until: Number.POSITIVE_INFINITY, answer });
    return answer;
  }

  async #ask(credential: string | undefined) {
    const answer = await this.#options.ask(credential);
    if (answer.kind !== 'result') return { discovered: answer, ttlMs: LEAST_TTL_MS, isPublic: false };
    const { ttlMs, cacheScope } = answer.result;
    return {
      discovered: { kind: 'merged', ...mergeDiscover(answer.result, this.#options.configured) } as const,
      ttlMs: Math.max(LEAST_TTL_MS, typeof ttlMs === 'number' ? ttlMs : 0),
      isPublic: cacheScope === 'public',
    };
  }

  #keep(key: Key, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    if (this.#kept.size <= KEPT_CREDENTIALS) return;
    for (const oldest of this.#kept.keys()) {
      if (oldest === EVERYBODY) continue;
      this.#kept.delete(oldest);
      return;
    }
  }
}

/** Whom an answer is kept for: a credential, those that have none, or everybody. */
type Key = string | undefined | typeof EVERYBODY;

const EVERYBODY = Symbol('everybody');
