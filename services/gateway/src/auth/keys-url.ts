import { fetchJson } from './fetch-json.ts';

/** Where an issuer's keys are, as its metadata says: RFC 8414 first, then both spellings of OpenID Connect. */
export async function discoverKeysUrl(issuer: string): Promise<string> {
  const failures: unknown[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = await fetchJson(url);
      // RFC 8414, 3.3: metadata that names another issuer is not this one's.
      if (metadata.issuer !== issuer) throw new Error(`${url} names another issuer`);
      const { jwks_uri: keysUrl } = metadata;
      if (typeof keysUrl !== 'string') throw new Error(`${url} names no jwks_uri`);
      if (new URL(keysUrl).protocol !== new URL(issuer).protocol) throw new Error(`${url} names a jwks_uri less safe`);
      return keysUrl;
    } catch (cause) {
      failures.push(cause);
    }
  }
  throw new AggregateError(failures, `no metadata of ${issuer} names its keys`);
}

function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/+$/, '');
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(urls)];
}
