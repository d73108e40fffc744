import { z } from 'zod';
import { authorizationSettings } from './config-authorization.ts';
import { isLoopback } from './loopback.ts';

const positiveInt = z.int().min(1);

/** Signatures by a private key: a shared secret cannot be published, and `none` is no signature. */
export const SIGNATURE_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** What tokens and keys come over; in the clear anybody on the way could put in their own. */
export const safeUrl = z
  .url({ protocol: /^https?$/, error: 'must be https://…' })
  .refine((url) => isSafe(url), 'must be https://…, or http:// on loopback');

const issuerConfig = z.strictObject({
  issuer: safeUrl.describe('The issuer as its tokens name it.'),
  jwksUrl: safeUrl.optional().describe('Where its keys are; unset, its metadata says (RFC 8414, then OpenID Connect).'),
  algorithms: z
    .array(z.enum(SIGNATURE_ALGORITHMS))
    .min(1)
    .default([...SIGNATURE_ALGORITHMS])
    .describe('Signature algorithms let in; unset, all of them.'),
  subjectPrefix: z.string().optional().describe('Put before its subjects, so that no other issuer can name the same.'),
  introspection: z
    .strictObject({
      url: safeUrl.describe('Where opaque tokens are asked about (RFC 7662).'),
      clientId: z.string().min(1).describe('Who the gateway is there.'),
      clientSecretVariable: z
        .string()
        .min(1)
        .describe('Environment variable with the secret; NAME_FILE may name a file.'),
    })
    .optional(),
});

/** How the hosts of a server are authenticated. */
export const authConfig = z
  .strictObject({
    issuer: safeUrl.optional().describe('The one issuer of tokens, where it needs no more settings than this.'),
    issuers: z
      .array(issuerConfig)
      .min(1)
      .optional()
      .describe(
        'Issuers of tokens: issuer, jwksUrl, algorithms, subjectPrefix, introspection {url, clientId, clientSecretVariable}.',
      ),
    audience: z
      .string()
      .min(1)
      .optional()
      .describe("What tokens must be made for; unset, the server's own URL beneath http.publicUrl."),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope without spaces and quotes'))
      .default([])
      .describe('Scopes that a token needs, all of them.'),
    clockSkewS: z.int().min(0).max(300).default(5).describe("By how much the issuer's clock may be off."),
    revalidateMs: z
      .int()
      .min(1_000)
      .max(86_400_000)
      .default(300_000)
      .describe(
        'How often keys are fetched and opaque tokens of open streams asked about again: what is removed or revoked is gone by then.',
      ),
    staleKeysMs: z
      .int()
      .min(0)
      .default(3_600_000)
      .describe('How long known keys are good beyond that while their issuer cannot be reached.'),
    introspectedMs: positiveInt
      .max(300_000)
      .default(10_000)
      .describe('How long an introspected token is not asked about again.'),
    ...authorizationSettings,
  })
  .superRefine(checkIssuers)
  .transform(({ issuer, issuers, ...rest }) => ({
    ...rest,
    issuers: issuers ?? (issuer === undefined ? [] : [issuerConfig.parse({ issuer })]),
  }));

type Issuers = {
  readonly issuer?: string | undefined;
  readonly issuers?: readonly IssuerConfig[] | undefined;
};

function checkIssuers({ issuer, issuers }: Issuers, context: z.RefinementCtx): void {
  const say = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
  if (issuer === undefined && issuers === undefined) say(['issuer'], 'is needed, or issuers');
  if (issuer !== undefined && issuers !== undefined) say(['issuer'], 'contradicts issuers; set one of them');
  const names = new Set<string>();
  const prefixes = (issuers ?? []).map(({ subjectPrefix = '' }) => subjectPrefix);
  for (const [at, one] of (issuers ?? []).entries()) {
    if (names.has(one.issuer)) say(['issuers', at, 'issuer'], 'is named twice');
    names.add(one.issuer);
    // Of "a:" and "a:b:" one issuer could make up the other's subjects, by a "b:" of its own.
    const clash = prefixes.some((prefix, other) => other !== at && prefix.startsWith(one.subjectPrefix ?? ''));
    if (clash) say(['issuers', at, 'subjectPrefix'], 'must differ from, and not begin, that of each other issuer');
  }
}

function isSafe(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && url.hash === '' && url.username === '' && (url.protocol === 'https:' || isLoopback(url.hostname))
  );
}

export type IssuerConfig = z.output<typeof issuerConfig>;
export type AuthConfig = z.output<typeof authConfig>;
