import type { AuthRefusal } from './verdict.ts';

/** What of an issuer is asked over the network. */
export type IssuerQuestion = 'keys' | 'introspection';

/** Hears of what happens in authentication; never of a token. */
export interface AuthObserver {
  /** A token was looked at, known already or not. */
  verified(tookMs: number): void;
  refused(serverId: string, reason: AuthRefusal): void;
  /** An issuer was asked and answered. */
  answered(issuer: string, question: IssuerQuestion): void;
  /** An issuer was asked and did not answer as it should. */
  failed(issuer: string, question: IssuerQuestion, cause: unknown): void;
}
