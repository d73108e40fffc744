import { isEmpty } from '@listen-gateway/core';
import type { Filter } from '@listen-gateway/protocol';
import type { HostPrincipal } from '../auth/host-principal.ts';

/** What an authenticated host asks to watch of a server. */
export interface Asking {
  readonly principal: HostPrincipal;
  /** The part of its filter that the server supports. */
  readonly requested: Filter;
  /** Whether a URI that it names stands for all beneath it too (P-1.11). */
  readonly subResources: boolean;
}

/** What may be watched; or that nobody could say, which must not look like nothing: a host would stop listening. */
export type Granted = Filter | 'authorizer-unavailable';

/** Decides what a principal may watch of one server. */
export interface Authorizer {
  /** The part of what is requested that is granted, never more. Asked at every listen; never rejects. */
  grant(asking: Asking): Promise<Granted>;
  /** What it knows of a principal, or of all of them, is not to be relied on any more: its access may have changed. */
  forget(subject: string | undefined): void;
  /** Lets go of what it holds; what is under way comes to `authorizer-unavailable`. Closing twice is fine. */
  close(): Promise<void>;
}

/** Grants what all of them grant; each is asked only for what those before it left. */
export function allOf(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async grant(asking) {
      let { requested } = asking;
      for (const authorizer of authorizers) {
        if (isEmpty(requested)) break;
        const granted = await authorizer.grant({ ...asking, requested });
        if (granted === 'authorizer-unavailable') return granted;
        requested = granted;
      }
      return requested;
    },
    forget(subject) {
      for (const authorizer of authorizers) authorizer.forget(subject);
    },
    async close() {
      await Promise.all(authorizers.map((authorizer) => authorizer.close()));
    },
  };
}
