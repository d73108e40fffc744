import type { HostPrincipal } from './host-principal.ts';

/** What the claims of a token, or the members of its introspection, say of who bears it; undefined where they name nobody. */
export function principalOf(
  claims: Readonly<Record<string, unknown>>,
  { issuer, subjectPrefix = '' }: { readonly issuer: string; readonly subjectPrefix?: string | undefined },
): HostPrincipal | undefined {
  // A client that acts for itself is its own subject (RFC 9068, 2.2); some issuers leave `sub` out then.
  const subject = text(claims.sub) ?? text(claims.client_id);
  if (subject === undefined) return undefined;
  const expiry = claims.exp;
  return {
    subject: subjectPrefix + subject,
    issuer,
    scopes: [...scopesIn(claims.scope), ...scopesIn(claims.scp)],
    expiresAtMs: typeof expiry === 'number' && Number.isFinite(expiry) ? expiry * 1_000 : undefined,
    sid: text(claims.sid),
    jti: text(claims.jti),
    claims,
  };
}

/** Whether a token was made for this audience (RFC 8707): `aud` names one or several. */
export function isMadeFor(audience: string, aud: unknown): boolean {
  return [aud].flat().includes(audience);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** RFC 8693, 4.2 has a text with spaces between; issuers in the field write lists too. */
function scopesIn(value: unknown): readonly string[] {
  const scopes = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return scopes.filter((scope): scope is string => typeof scope === 'string' && scope !== '');
}
