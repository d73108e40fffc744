import type { Clock } from '@listen-gateway/core';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWK,
  type JWSHeaderParameters,
} from 'jose';
import type { AuthObserver } from './auth-observer.ts';
import { fetchJson } from './fetch-json.ts';
import { discoverKeysUrl } from './keys-url.ts';

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** Where the keys are; else the issuer's metadata says. */
  readonly jwksUrl?: string | undefined;
  readonly clock: Clock;
  /** After this time the keys are fetched again before one of them is used. */
  readonly maxAgeMs: number;
  /** How long they are good beyond that while they cannot be fetched. */
  readonly staleMs: number;
  readonly observer: Pick<AuthObserver, 'answered' | 'failed'>;
}

interface KnownKeys {
  readonly select: ReturnType<typeof createLocalJWKSet>;
  /** Thumbprints (RFC 7638) by key id, and of the set as a whole for tokens that name no key. */
  readonly names: ReadonlyMap<string | undefined, string>;
  readonly fetchedAt: number;
}

/** An unknown key id, which anybody can make up, has the keys fetched again this often at most. */
const COOLDOWN_MS = 10_000;
/** The same after a fetch that failed. */
const RETRY_MS = 2_000;

/** Keys cannot be had, and those once known are too old. */
export class KeysUnavailable extends Error {}

/**
 * The public keys of one issuer. Not by jose's remote set: that one drops its keys when a refresh fails, and counts its
 * cooldown from the last success, so that an issuer that is down is asked anew for each unknown key id.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #known: KnownKeys | undefined;
  #failing = false;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** The key that a token names; rejects with `KeysUnavailable`, or with jose's error where there is no such key. */
  readonly select = async (header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> => {
    const known = await this.#current();
    try {
      return await known.select(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#refresh();
      // A key that came meanwhile cannot be told from one that does not exist.
      if (this.#failing || this.#known === undefined) throw new KeysUnavailable();
      if (this.#known === known) throw error;
      return await this.#known.select(header, token);
    }
  };

  /** What to ask `holds` about later, of the key that a verified token named. */
  nameOf({ kid }: JWSHeaderParameters): string {
    return this.#known?.names.get(kid) ?? '';
  }

  /** Whether a key is still among them; rejects with `KeysUnavailable`. */
  async holds(name: string): Promise<boolean> {
    const { names } = await this.#current();
    for (const held of names.values()) if (held === name) return true;
    return false;
  }

  async #current(): Promise<KnownKeys> {
    const { maxAgeMs, staleMs } = this.#options;
    const isUsable = () => this.#ageMs() < maxAgeMs + staleMs;
    if (this.#ageMs() >= maxAgeMs) {
      const refreshed = this.#refresh();
      // While the issuer is down nobody waits for it again whom the known keys can serve.
      if (!this.#failing || !isUsable()) await refreshed;
    }
    if (this.#known === undefined || !isUsable()) throw new KeysUnavailable();
    return this.#known;
  }

  #ageMs(): number {
    const { clock } = this.#options;
    return this.#known === undefined ? Number.POSITIVE_INFINITY : clock.now() - this.#known.fetchedAt;
  }

  /** Never rejects. */
  #refresh(): Promise<void> {
    if (this.#fetching !== undefined) return this.#fetching;
    const { clock, maxAgeMs } = this.#options;
    const now = clock.now();
    const pauseMs = Math.min(maxAgeMs, this.#failing ? RETRY_MS : COOLDOWN_MS);
    if (now - this.#attemptedAt < pauseMs) return Promise.resolve();
    this.#attemptedAt = now;
    this.#fetching = this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<void> {
    const { issuer, jwksUrl, observer, clock } = this.#options;
    try {
      const keySet = await fetchJson(jwksUrl ?? (await discoverKeysUrl(issuer)));
      this.#known = { ...(await readKeys(keySet)), fetchedAt: clock.now() };
      this.#failing = false;
      observer.answered(issuer, 'keys');
    } catch (cause) {
      this.#failing = true;
      observer.failed(issuer, 'keys', cause);
    }
  }
}

async function readKeys(keySet: Readonly<Record<string, unknown>>): Promise<Pick<KnownKeys, 'select' | 'names'>> {
  const select = createLocalJWKSet(keySet as unknown as JSONWebKeySet);
  const names = new Map<string | undefined, string>();
  const thumbprints: string[] = [];
  for (const key of (keySet as unknown as JSONWebKeySet).keys) {
    const thumbprint = await thumbprintOf(key);
    if (thumbprint === undefined) continue;
    thumbprints.push(thumbprint);
    if (key.kid !== undefined) names.set(key.kid, thumbprint);
  }
  // Which of them verified a token that names none is not told, so that it stands while they all do.
  names.set(undefined, thumbprints.sort().join(' '));
  return { select, names };
}

/** Of a key of a kind that nobody here can use there is none. */
async function thumbprintOf(key: JWK): Promise<string | undefined> {
  try {
    return await calculateJwkThumbprint(key);
  } catch {
    return undefined;
  }
}
