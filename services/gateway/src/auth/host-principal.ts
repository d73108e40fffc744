/** Who a host was authenticated as, by a token that was verified. */
export interface HostPrincipal {
  /** Unique on its server: where several issuers are trusted, each has a prefix of its own. */
  readonly subject: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** When the token expires, in milliseconds since the epoch. */
  readonly expiresAtMs: number | undefined;
  readonly sid: string | undefined;
  readonly jti: string | undefined;
  /** All claims of the token, or all members of its introspection. */
  readonly claims: Readonly<Record<string, unknown>>;
}
