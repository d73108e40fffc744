import { createHash } from 'node:crypto';

/** Stands for a holder or a key in Redis, which is to keep no subjects and addresses; as short for a long one. */
export function holderDigest(holder: string): string {
  return createHash('sha256').update(holder).digest('base64url').slice(0, 22);
}
