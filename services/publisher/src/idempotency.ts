import { createHash } from 'node:crypto';
import type { Idempotency } from '@listen-gateway/core';
import { type Change, changeJson } from '@listen-gateway/protocol';
import { ANYBODY, type Grant } from './auth/grant.ts';

/** draft-ietf-httpapi-idempotency-key-header leaves the form to the server: 1–255 visible ASCII characters, taken as they are. */
const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/**
 * The key of a request with the digest of what it publishes; undefined for a key that cannot be used. Publishers that
 * are told apart have keys of their own: else one could use up those of another, which are often easy to guess.
 */
export function idempotencyOf(key: string, changes: readonly Change[], { publisher }: Grant): Idempotency | undefined {
  if (!KEY_PATTERN.test(key)) return undefined;
  const own = publisher === ANYBODY.publisher ? key : createHash('sha256').update(`${key} ${publisher}`).digest('hex');
  return { key: own, fingerprint: fingerprintOf(changes) };
}

/**
 * SHA-256 over what the changes mean: a retry may write members in another order or with other white space, and is
 * another step of its trace. Members are sorted at every depth, as in RFC 8785.
 */
function fingerprintOf(changes: readonly Change[]): string {
  const hash = createHash('sha256');
  for (const { trace: _, ...change } of changes) {
    const canonical: unknown = JSON.parse(changeJson(change), (_name, value: unknown) => sorted(value));
    hash.update(JSON.stringify(canonical)).update('\n');
  }
  return hash.digest('hex');
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
