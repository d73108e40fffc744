import { SIGNATURE_ALGORITHMS, safeUrl } from '@listen-gateway/service-kit';
import { z } from 'zod';
import { PERMISSIONS, type Permission } from './grant.ts';

const apiKey = z.strictObject({
  id: z.string().regex(/^[\w.-]{1,64}$/, 'must be 1–64 letters, digits, ".", "_" or "-"'),
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be the SHA-256 of the key in 64 hexadecimal digits, never the key itself'),
  servers: z.array(z.string().min(1)).min(1).optional(),
  kinds: z
    .array(z.enum(PERMISSIONS as [Permission, ...Permission[]]))
    .min(1)
    .optional(),
});

/** API keys, in the configuration and in the file of keys. */
export const apiKeysConfig = z.array(apiKey).superRefine((keys, context) => {
  for (const member of ['id', 'sha256'] as const) {
    const seen = new Set<string>();
    for (const [at, key] of keys.entries()) {
      const value = key[member].toLowerCase();
      if (seen.has(value)) context.addIssue({ code: 'custom', path: [at, member], message: 'is there twice' });
      seen.add(value);
    }
  }
});

const jwtConfig = z.strictObject({
  issuer: z.string().min(1).describe('The issuer as its tokens name it.'),
  jwksUrl: safeUrl.describe('Where its public keys are.'),
  audience: z.string().min(1).describe('What tokens must be made for.'),
  scope: z.string().min(1).default('lg:publish').describe('The scope that a token needs.'),
  algorithms: z
    .array(z.enum(SIGNATURE_ALGORITHMS))
    .min(1)
    .default([...SIGNATURE_ALGORITHMS])
    .describe('Signature algorithms let in.'),
  clockSkewS: z.int().min(0).max(300).default(5).describe("By how much the issuer's clock may be off."),
});

/** How publishers are authenticated. */
export const publisherAuthConfig = z
  .strictObject({
    keys: apiKeysConfig
      .optional()
      .describe('API keys: id, sha256, and optionally the servers and kinds that the key is good for.'),
    keysFile: z
      .string()
      .min(1)
      .optional()
      .describe('YAML file with more of them, read again when it changes or at SIGHUP.'),
    jwt: jwtConfig.optional().describe('An issuer whose tokens let publish as well.'),
  })
  .refine(
    ({ keys, keysFile, jwt }) => keys?.length || keysFile || jwt,
    'needs keys, keysFile or jwt: it lets nobody in',
  );

export type PublisherAuthConfig = z.output<typeof publisherAuthConfig>;
export type PublisherJwtConfig = z.output<typeof jwtConfig>;
