import { narrow, Patterns } from '@listen-gateway/core';
import type { ClaimsConfig } from '@listen-gateway/service-kit';
import type { Authorizer } from './authorizer.ts';

/**
 * Grants what the claims of the token name. A part without a configured claim is not narrowed; a claim that is absent,
 * or neither a text nor a list of texts, names nothing.
 */
export function claimAuthorizer(names: ClaimsConfig): Authorizer {
  return {
    async grant({ principal: { claims }, requested, subResources }) {
      const named = (claim: string | undefined) =>
        claim === undefined
          ? EVERYTHING
          : new Patterns(textsOf(Object.hasOwn(claims, claim) ? claims[claim] : undefined));
      const uris = named(names.uris);
      return narrow(requested, {
        lists: named(names.lists),
        uris: subResources ? uris.trees : uris,
        taskIds: named(names.taskIds),
      });
    },
    forget: () => {},
    close: async () => {},
  };
}

const EVERYTHING = new Patterns(['**']);

function textsOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) && claim.every((one) => typeof one === 'string') ? claim : [];
}
