import { isPattern } from '@listen-gateway/core';
import { z } from 'zod';

const positiveInt = z.int().min(1);
const claimName = z.string().min(1).optional();
const pattern = z
  .string()
  .refine(isPattern, 'must be a URI or id as it is, one that ends in /** for all beneath it, or ** for all');

/** Claims of the token that say what its principal may watch. */
const claimsConfig = z
  .strictObject({
    lists: claimName.describe(
      'Claim that lists which of tools, prompts and resources a principal may watch the list of.',
    ),
    uris: claimName.describe(
      'Claim that lists URIs that it may subscribe to; one that ends in /** means all beneath it.',
    ),
    taskIds: claimName.describe('Claim that lists tasks that it may watch.'),
  })
  .refine((names) => Object.keys(names).length > 0, 'names no claim, so it would narrow nothing');

/** What whoever has these scopes may watch; several rules add up. */
const ruleConfig = z.strictObject({
  scopes: z.array(z.string().min(1)).default([]),
  lists: z.array(z.enum(['tools', 'prompts', 'resources'])).default([]),
  uris: z.array(pattern).default([]),
  taskIds: z.array(pattern).default([]),
});

/** Whom to ask what a principal may watch. */
const authorizerConfig = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be http://… or https://…' })
    .refine((text) => URL.parse(text)?.username === '', 'must not hold a credential; name one by credentialVariable')
    .describe('Where the backend is asked what a principal may watch; docs/security/authorization.md says how.'),
  claims: z.array(z.string().min(1)).default([]).describe('Claims of the token that it is told, beside the scopes.'),
  timeoutMs: positiveInt.max(10_000).default(2_000).describe('Time for its answer; a listen without one gets 503.'),
  ttlMs: z
    .int()
    .min(0)
    .default(5_000)
    .describe('How long an answer stands for the same question; until a disconnect at most.'),
  credentialVariable: z
    .string()
    .min(1)
    .optional()
    .describe('Environment variable with the Authorization value that it is sent; NAME_FILE may name a file.'),
});

/** The settings by which it is decided what an authenticated host may watch; where several are set, all must grant. */
export const authorizationSettings = {
  claims: claimsConfig.optional(),
  policy: z
    .array(ruleConfig)
    .min(1)
    .optional()
    .describe('Rules {scopes, lists, uris, taskIds}: what a token with all of these scopes may watch; they add up.'),
  authorizer: authorizerConfig.optional(),
};

export type ClaimsConfig = z.output<typeof claimsConfig>;
export type RuleConfig = z.output<typeof ruleConfig>;
export type AuthorizerConfig = z.output<typeof authorizerConfig>;
