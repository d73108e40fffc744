import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { PublisherJwtConfig } from './auth-config.ts';
import type { Grant } from './grant.ts';

/** `invalid`: not this issuer's, not for this audience, not any more. `unverifiable`: its keys cannot be had at the moment. */
export type TokenVerdict =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'unscoped'; readonly scope: string }
  | { readonly kind: 'unverifiable'; readonly cause: unknown };

/** Verifies the tokens of one issuer. */
export class PublisherTokens {
  readonly #config: PublisherJwtConfig;
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;

  constructor(config: PublisherJwtConfig) {
    this.#config = config;
    this.#keys = createRemoteJWKSet(new URL(config.jwksUrl), { timeoutDuration: 3_000 });
  }

  async verify(token: string): Promise<TokenVerdict> {
    const { issuer, audience, algorithms, clockSkewS, scope } = this.#config;
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        audience,
        algorithms,
        clockTolerance: clockSkewS,
        requiredClaims: ['sub', 'exp'],
      });
      return grantOf(payload, scope);
    } catch (cause) {
      return isOfToken(cause) ? { kind: 'invalid' } : { kind: 'unverifiable', cause };
    }
  }
}

function grantOf(payload: JWTPayload, scope: string): TokenVerdict {
  const { sub, servers } = payload;
  if (!sub) return { kind: 'invalid' };
  if (!scopesOf(payload).includes(scope)) return { kind: 'unscoped', scope };
  const publisher = `token:${sub}`;
  if (servers === undefined) return { kind: 'granted', grant: { publisher } };
  // A claim that cannot be read must not open what it was to narrow.
  const isList = Array.isArray(servers) && servers.every((server) => typeof server === 'string');
  return isList ? { kind: 'granted', grant: { publisher, servers } } : { kind: 'invalid' };
}

/** RFC 8693 and RFC 9068: `scope` is one text with spaces; some issuers write a list, or `scp`. */
function scopesOf({ scope, scp }: JWTPayload): readonly unknown[] {
  const scopes = scope ?? scp;
  if (typeof scopes === 'string') return scopes.split(' ');
  return Array.isArray(scopes) ? scopes : [];
}

/** Whether the token is at fault, and not the way to the keys. */
function isOfToken(cause: unknown): boolean {
  if (cause instanceof errors.JWKSTimeout || cause instanceof errors.JWKSInvalid) return false;
  return cause instanceof errors.JOSEError && cause.code !== 'ERR_JOSE_GENERIC';
}
