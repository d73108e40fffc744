import type { Log } from '@listen-gateway/service-kit';
import type { PublisherAuthConfig } from './auth-config.ts';
import { ANYBODY, type Grant } from './grant.ts';
import { KeysFile } from './keys-file.ts';
import { PublisherTokens, type TokenVerdict } from './publisher-token.ts';

/** What a credential is worth. */
export type AuthVerdict = TokenVerdict | { readonly kind: 'absent' };

/** Tells publishers apart. */
export interface PublisherAuth {
  /** Judges an `Authorization` header. */
  authenticate(authorization: string | undefined): Promise<AuthVerdict>;
  /** Stops watching for new keys. */
  close(): void;
}

/** RFC 6750, 2.1; no longer than what a header may hold. */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** How publishers are authenticated; without a configuration nobody is asked, and the publisher is for loopback alone. */
export function openPublisherAuth(config: PublisherAuthConfig | undefined, log: Log): PublisherAuth {
  const anybody: AuthVerdict = { kind: 'granted', grant: ANYBODY };
  if (config === undefined) return { authenticate: async () => anybody, close: () => {} };
  const tokens = config.jwt && new PublisherTokens(config.jwt);
  const file = new KeysFile({
    path: config.keysFile,
    configured: config.keys ?? [],
    onRead: (read) => {
      if ('keys' in read) log.info(read, 'publisher keys read');
      else log.error(read, 'publisher keys not read; the ones before are still good');
    },
  });
  return {
    async authenticate(authorization) {
      if (authorization === undefined) return { kind: 'absent' };
      const credential = BEARER.exec(authorization)?.[1];
      if (credential === undefined) return { kind: 'invalid' };
      if (tokens !== undefined && JWT.test(credential)) return tokens.verify(credential);
      return verdictOn(file.keys.find(credential));
    },
    close: () => file.close(),
  };
}

function verdictOn(grant: Grant | undefined): AuthVerdict {
  return grant === undefined ? { kind: 'invalid' } : { kind: 'granted', grant };
}
