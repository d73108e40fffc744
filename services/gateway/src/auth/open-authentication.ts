import type { Clock } from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import type { AuthConfig } from '@listen-gateway/service-kit';
import { secretOf } from '../config.ts';
import type { AuthObserver } from './auth-observer.ts';
import { HostAuthentication } from './host-authentication.ts';
import { Introspection } from './introspection.ts';
import { JwtIssuer } from './jwt-issuer.ts';
import { Revalidation, type RevalidationOptions } from './revalidation.ts';
import type { SharedKeys } from './shared-keys.ts';
import type { VerifiedTokens } from './verified-tokens.ts';

/** What authentication works with, whatever the server. */
export interface AuthSetting extends Omit<RevalidationOptions, 'everyMs'> {
  readonly clock: Clock;
  /** Milliseconds since the epoch; unlike the clock it may step. */
  readonly wallNow: () => number;
  readonly observer: AuthObserver;
  readonly tokens: VerifiedTokens;
  readonly keys: SharedKeys;
}

/** The authentication of one server as it is configured; nothing is fetched before the first token. */
export function openAuthentication(
  serverId: ServerId,
  { auth, audience }: { readonly auth: AuthConfig; readonly audience: string },
  setting: AuthSetting,
): HostAuthentication {
  const { clock, wallNow, observer, tokens } = setting;
  const { clockSkewS, staleKeysMs, scopes, introspectedMs } = auth;
  // What was removed or revoked lives on in keys fetched just before, and then in what was verified by them just before
  // they were fetched anew: half of the time that is promised for each.
  const halfMs = auth.revalidateMs / 2;
  const revalidation = new Revalidation({ ...setting, everyMs: halfMs });
  const shared = { audience, clockSkewS, wallNow, observer };
  return new HostAuthentication({
    serverId,
    issuers: auth.issuers.map(({ issuer }) => issuer),
    scopes,
    clockSkewS,
    wallNow,
    clock,
    observer,
    tokens,
    revalidation,
    verifiedMs: halfMs,
    introspectedMs: Math.min(introspectedMs, halfMs),
    jwtIssuers: auth.issuers.map((issuer) => {
      const keys = setting.keys.of({ ...issuer, clock, maxAgeMs: halfMs, staleMs: staleKeysMs, observer });
      return new JwtIssuer({ ...issuer, ...shared, keys });
    }),
    introspections: auth.issuers.flatMap(({ introspection, ...issuer }) => {
      if (introspection === undefined) return [];
      const clientSecret = secretOf(introspection.clientSecretVariable) ?? '';
      return new Introspection({ ...issuer, ...introspection, ...shared, clientSecret });
    }),
  });
}
