import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Grant, Permission } from './grant.ts';

/** One key as the configuration has it: never the key itself. */
export interface ApiKey {
  readonly id: string;
  /** Of the key's text, in hexadecimal digits. */
  readonly sha256: string;
  readonly servers?: readonly string[] | undefined;
  readonly kinds?: readonly Permission[] | undefined;
}

/** A new key: 256 random bits, so that a plain hash of it cannot be searched; its prefix lets scanners find a leaked one. */
export function newApiKey(): { readonly key: string; readonly sha256: string } {
  const key = `lgp_${randomBytes(32).toString('base64url')}`;
  return { key, sha256: digest(key).toString('hex') };
}

/** The keys that are let in, several at once so that one can follow another. */
export class ApiKeys {
  readonly #keys: readonly { readonly hash: Buffer; readonly grant: Grant }[];

  constructor(keys: readonly ApiKey[]) {
    this.#keys = keys.map(({ id, sha256, servers, kinds }) => ({
      hash: Buffer.from(sha256, 'hex'),
      grant: { publisher: `key:${id}`, servers, kinds },
    }));
  }

  /** Compares with every key, each in constant time: how long it takes tells nothing of any of them. */
  find(presented: string): Grant | undefined {
    const hash = digest(presented);
    let found: Grant | undefined;
    for (const key of this.#keys) if (timingSafeEqual(key.hash, hash)) found = key.grant;
    return found;
  }
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
