import type { AuthObserver } from './auth-observer.ts';
import { fetchJson } from './fetch-json.ts';
import type { HostPrincipal } from './host-principal.ts';
import { isMadeFor, principalOf } from './principal-of.ts';
import { type Credential, refused, type Verdict } from './verdict.ts';

export interface IntrospectionOptions {
  readonly issuer: string;
  readonly subjectPrefix?: string | undefined;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
  readonly clockSkewS: number;
  /** Milliseconds since the epoch. */
  readonly wallNow: () => number;
  readonly observer: Pick<AuthObserver, 'answered' | 'failed'>;
}

/** Questions under way at once: anybody can make up tokens, and the issuer has others to answer. */
const AT_ONCE = 64;

/** Asks one issuer about its opaque tokens (RFC 7662). */
export class Introspection {
  readonly #options: IntrospectionOptions;
  #underWay = 0;

  constructor(options: IntrospectionOptions) {
    this.#options = options;
  }

  async verify(token: string): Promise<Verdict> {
    if (this.#underWay >= AT_ONCE) return refused('unavailable');
    this.#underWay += 1;
    const members = await this.#ask(token);
    this.#underWay -= 1;
    return members === undefined ? refused('unavailable') : this.#judge(token, members);
  }

  async #ask(token: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { issuer, url, observer } = this.#options;
    try {
      const members = await fetchJson(url, this.#question(token));
      if (typeof members.active !== 'boolean') throw new Error(`${url} does not say whether a token is active`);
      observer.answered(issuer, 'introspection');
      return members;
    } catch (cause) {
      observer.failed(issuer, 'introspection', cause);
      return undefined;
    }
  }

  #question(token: string): RequestInit {
    const { clientId, clientSecret } = this.#options;
    // RFC 6749, 2.3.1: both are form-encoded before they are joined.
    const login = [clientId, clientSecret]
      .map((part) => new URLSearchParams([['', part]]).toString().slice(1))
      .join(':');
    return {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(login).toString('base64')}` },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    };
  }

  #judge(token: string, members: Readonly<Record<string, unknown>>): Verdict {
    const { issuer, audience, clockSkewS, wallNow } = this.#options;
    if (members.active !== true) return refused('invalid');
    // RFC 7662 lets both be absent. Without an audience nothing says that the token is for this server (P-3.1).
    if (!isMadeFor(audience, members.aud)) return refused('foreign');
    if (members.iss !== undefined && members.iss !== issuer) return refused('foreign');
    const { nbf } = members;
    if (typeof nbf === 'number' && nbf - clockSkewS > wallNow() / 1_000) return refused('invalid');
    const principal = principalOf(members, this.#options);
    if (principal === undefined) return refused('invalid');
    return { ok: true, principal, credential: this.#credential(token, principal) };
  }

  #credential(token: string, { subject, scopes }: HostPrincipal): Credential {
    return {
      key: token,
      recheck: async () => {
        const verdict = await this.verify(token);
        if (!verdict.ok) return verdict.reason === 'unavailable' ? 'unknown' : 'gone';
        // Whoever was granted less, or more, is to come back and be told anew.
        const same = verdict.principal.subject === subject && sameMembers(verdict.principal.scopes, scopes);
        return same ? 'good' : 'gone';
      },
    };
  }
}

function sameMembers(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}
