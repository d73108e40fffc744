import {
  type CryptoKey,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import { type IssuerKeys, KeysUnavailable } from './issuer-keys.ts';
import { principalOf } from './principal-of.ts';
import { type AuthRefusal, type Credential, refused, type Verdict } from './verdict.ts';

export interface JwtIssuerOptions {
  readonly issuer: string;
  readonly subjectPrefix?: string | undefined;
  readonly keys: IssuerKeys;
  readonly algorithms: readonly string[];
  readonly audience: string;
  readonly clockSkewS: number;
  /** Milliseconds since the epoch. */
  readonly wallNow: () => number;
}

/** Verifies the JWTs of one issuer by its public keys. */
export class JwtIssuer {
  readonly #options: JwtIssuerOptions;

  constructor(options: JwtIssuerOptions) {
    this.#options = options;
  }

  get issuer(): string {
    return this.#options.issuer;
  }

  async verify(token: string): Promise<Verdict> {
    try {
      const { payload, protectedHeader } = await this.#verify(token);
      const principal = principalOf(payload, this.#options);
      if (principal === undefined) return refused('invalid');
      return { ok: true, principal, credential: this.#credential(this.#options.keys.nameOf(protectedHeader)) };
    } catch (error) {
      return refused(reasonOf(error));
    }
  }

  async #verify(token: string): Promise<JWTVerifyResult<JWTPayload>> {
    const { issuer, audience, algorithms, clockSkewS, wallNow, keys } = this.#options;
    const options: JWTVerifyOptions = {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: clockSkewS,
      currentDate: new Date(wallNow()),
    };
    try {
      return await jwtVerify(token, keys.select, options);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return await verifyByAny(token, error, options);
    }
  }

  #credential(keyName: string): Credential {
    const { issuer, keys } = this.#options;
    return {
      key: `${issuer} ${keyName}`,
      recheck: async () => {
        try {
          return (await keys.holds(keyName)) ? 'good' : 'gone';
        } catch {
          return 'unknown';
        }
      },
    };
  }
}

/** The issuer that a token claims to be from; undefined for what is no JWT. Nothing is verified by this. */
export function claimedIssuer(token: string): { readonly issuer: string | undefined } | undefined {
  try {
    return { issuer: decodeJwt(token).iss };
  } catch {
    return undefined;
  }
}

/** A token that names no key may be signed with any that fits. */
async function verifyByAny(
  token: string,
  keys: AsyncIterable<CryptoKey>,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult<JWTPayload>> {
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, options);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function reasonOf(error: unknown): AuthRefusal {
  if (error instanceof KeysUnavailable) return 'unavailable';
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'iss' || error.claim === 'aud' ? 'foreign' : 'invalid';
  }
  // Whatever else stops jose, a key of the issuer that is too weak among it, leaves the token unverified.
  return 'invalid';
}
