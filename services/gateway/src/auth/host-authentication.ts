import type { Clock, Principal } from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import type { AuthObserver } from './auth-observer.ts';
import type { HostPrincipal } from './host-principal.ts';
import type { Introspection } from './introspection.ts';
import { claimedIssuer, type JwtIssuer } from './jwt-issuer.ts';
import type { Revalidation } from './revalidation.ts';
import { type Credential, type Refused, refused, type Verdict } from './verdict.ts';
import type { VerifiedTokens } from './verified-tokens.ts';

export interface HostAuthenticationOptions {
  readonly serverId: ServerId;
  /** The authorization servers that hosts are sent to. */
  readonly issuers: readonly string[];
  /** Scopes that a token needs, all of them. */
  readonly scopes: readonly string[];
  readonly jwtIssuers: readonly JwtIssuer[];
  /** Those to ask about tokens that are no JWT. */
  readonly introspections: readonly Introspection[];
  readonly clockSkewS: number;
  /** How long a verified JWT need not be verified again. */
  readonly verifiedMs: number;
  /** The same of an introspected token. */
  readonly introspectedMs: number;
  readonly clock: Clock;
  /** Shared by the servers of an instance, so that there is one bound. */
  readonly tokens: VerifiedTokens;
  /** Milliseconds since the epoch. */
  readonly wallNow: () => number;
  readonly observer: AuthObserver;
  readonly revalidation: Revalidation;
}

export type Authenticated = { readonly ok: true; readonly principal: HostPrincipal } | Refused;

/** Knows the hosts of one server by their tokens. */
export class HostAuthentication {
  readonly #options: HostAuthenticationOptions;
  readonly #credentials = new WeakMap<HostPrincipal, Credential>();

  constructor(options: HostAuthenticationOptions) {
    this.#options = options;
  }

  get issuers(): readonly string[] {
    return this.#options.issuers;
  }

  get scopes(): readonly string[] {
    return this.#options.scopes;
  }

  /** Who bears this token; the header's value without its scheme. */
  async authenticate(token: string): Promise<Authenticated> {
    const { serverId, tokens, revalidation, clock, observer } = this.#options;
    const startedAt = clock.now();
    // What is good for one server need not be for another. No id has a space in it.
    const found = await tokens.find(
      `${serverId} ${token}`,
      () => this.#verify(token),
      ({ credential }) => !revalidation.isGone(credential),
    );
    const verdict = this.#judge(found);
    observer.verified(clock.now() - startedAt);
    if (!verdict.ok) return this.refuse(verdict);
    this.#credentials.set(verdict.principal, verdict.credential);
    return verdict;
  }

  /** Counts a refusal. */
  refuse(refusal: Refused): Refused {
    this.#options.observer.refused(this.#options.serverId, refusal.reason);
    return refusal;
  }

  /** What a stream is to know of who opens it: undefined once the token has expired, since the stream would end at once. */
  streamPrincipal(host: HostPrincipal): Principal | undefined {
    const { clock, wallNow, revalidation } = this.#options;
    const leftMs = host.expiresAtMs === undefined ? undefined : host.expiresAtMs - wallNow();
    if (leftMs !== undefined && leftMs <= 0) {
      this.refuse(refused('expired'));
      return undefined;
    }
    const { subject, sid, jti } = host;
    // By the clock that never steps, from here on: a wall clock set back would keep the stream open for longer.
    const principal = { subject, sid, jti, ...(leftMs !== undefined && { expiresAt: clock.now() + leftMs }) };
    const credential = this.#credentials.get(host);
    if (credential !== undefined) revalidation.watch(principal, credential);
    return principal;
  }

  /** Ends no stream any more. Stopping twice is fine. */
  stop(): void {
    this.#options.revalidation.stop();
  }

  async #verify(token: string): Promise<{ readonly verdict: Verdict; readonly keepMs: number }> {
    const { jwtIssuers, verifiedMs, introspectedMs } = this.#options;
    const claimed = claimedIssuer(token);
    if (claimed === undefined) return { verdict: await this.#introspect(token), keepMs: introspectedMs };
    const issuer = jwtIssuers.find((one) => one.issuer === claimed.issuer);
    return { verdict: (await issuer?.verify(token)) ?? refused('foreign'), keepMs: verifiedMs };
  }

  async #introspect(token: string): Promise<Verdict> {
    let answer: Verdict = refused('malformed');
    for (const introspection of this.#options.introspections) {
      const verdict = await introspection.verify(token);
      if (verdict.ok) return verdict;
      // One that does not answer might have known it.
      if (answer.ok || answer.reason !== 'unavailable') answer = verdict;
    }
    return answer;
  }

  /** What may have changed since the token was verified, and what no issuer knows. */
  #judge(verdict: Verdict): Verdict {
    if (!verdict.ok) return verdict;
    const { clockSkewS, wallNow, scopes } = this.#options;
    const { expiresAtMs = Number.POSITIVE_INFINITY, scopes: granted } = verdict.principal;
    if (expiresAtMs + clockSkewS * 1_000 <= wallNow()) return refused('expired');
    return scopes.every((scope) => granted.includes(scope)) ? verdict : refused('insufficient-scope');
  }
}
