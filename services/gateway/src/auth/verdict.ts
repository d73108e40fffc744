import type { HostPrincipal } from './host-principal.ts';

/** Why a request was not let in: metric label, log field and what tests assert. */
export type AuthRefusal =
  /** It bears no token. */
  | 'missing'
  /** What it bears is no token that anybody here could verify, or there are two. */
  | 'malformed'
  | 'expired'
  /** The token was made for another server, or by somebody who is not trusted here. */
  | 'foreign'
  /** Its signature does not hold, its key is unknown, or its issuer says that it is not active. */
  | 'invalid'
  | 'insufficient-scope'
  /** Whether it is good cannot be told: its issuer does not answer. */
  | 'unavailable';

export const AUTH_REFUSALS: readonly AuthRefusal[] = [
  'missing',
  'malformed',
  'expired',
  'foreign',
  'invalid',
  'insufficient-scope',
  'unavailable',
];

/** What a token was verified by, to be asked later whether it still stands. */
export interface Credential {
  /** The same for streams that one question answers for. */
  readonly key: string;
  /** Whether it would be taken again now; `unknown` where its issuer does not answer. Never rejects. */
  recheck(): Promise<'good' | 'gone' | 'unknown'>;
}

/** A token that was verified, as far as it can be without asking what it is used for. */
export interface Verified {
  readonly ok: true;
  readonly principal: HostPrincipal;
  readonly credential: Credential;
}

export interface Refused {
  readonly ok: false;
  readonly reason: AuthRefusal;
}

export type Verdict = Verified | Refused;

export function refused(reason: AuthRefusal): Refused {
  return { ok: false, reason };
}
