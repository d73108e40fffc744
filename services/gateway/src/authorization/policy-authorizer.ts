import { narrow, Patterns } from '@listen-gateway/core';
import type { RuleConfig } from '@listen-gateway/service-kit';
import type { Authorizer } from './authorizer.ts';

/** Grants what the rules of the configuration name, together, whose scopes the token has; without one, nothing. */
export function policyAuthorizer(rules: readonly RuleConfig[]): Authorizer {
  return {
    async grant({ principal, requested, subResources }) {
      const held = new Set(principal.scopes);
      const applying = rules.filter(({ scopes }) => scopes.every((scope) => held.has(scope)));
      const uris = new Patterns(applying.flatMap((rule) => rule.uris));
      return narrow(requested, {
        lists: new Set(applying.flatMap(({ lists }) => lists)),
        uris: subResources ? uris.trees : uris,
        taskIds: new Patterns(applying.flatMap(({ taskIds }) => taskIds)),
      });
    },
    forget: () => {},
    close: async () => {},
  };
}
