import { openListen, TestIssuer } from '@listen-gateway/testkit';
import { afterEach } from 'vitest';
import { type ConfigSketch, type OpenOptions, openGateway, type TestGateway } from './test-gateway.ts';

/** What tokens of these tests are made for. */
export const AUDIENCE = 'https://mcp.acme.example/mcp';

const issuers: TestIssuer[] = [];

afterEach(async () => {
  for (const issuer of issuers.splice(0)) await issuer.close();
});

/** An authorization server that is stopped after the test. */
export async function openIssuer(...options: Parameters<typeof TestIssuer.start>): Promise<TestIssuer> {
  const issuer = await TestIssuer.start(...options);
  issuers.push(issuer);
  return issuer;
}

/** An instance whose server `default` asks for tokens of an issuer; `auth` is merged over what it needs. */
export async function openGuarded(
  auth: ConfigSketch = {},
  { sketch = {}, ...options }: OpenOptions & { readonly sketch?: ConfigSketch } = {},
): Promise<Guarded> {
  const issuer = await openIssuer();
  const trusted = 'issuers' in auth ? {} : { issuer: issuer.issuer };
  const servers = { default: { auth: { ...trusted, audience: AUDIENCE, ...auth } } };
  return new Guarded(await openGateway({ servers, ...sketch }, options), issuer);
}

/** Such an instance, with its issuer. */
export class Guarded {
  readonly gateway: TestGateway;
  readonly issuer: TestIssuer;

  constructor(gateway: TestGateway, issuer: TestIssuer) {
    this.gateway = gateway;
    this.issuer = issuer;
  }

  /** A token for this server, of these claims besides. */
  token(claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return this.issuer.sign({ aud: AUDIENCE, ...claims });
  }

  /** Asks for a stream with this `Authorization`. */
  listen(authorization: string | undefined, path = '/mcp') {
    return openListen(this.gateway.gateway.url + path, { headers: { Authorization: authorization } });
  }

  /** Opens a stream with a token and reads its acknowledgement. */
  open(token: string) {
    return this.gateway.open({ headers: { Authorization: `Bearer ${token}` } });
  }

  /** How often requests were refused for this reason. */
  refused(reason: string): Promise<number> {
    return this.gateway.metric(`lg_auth_refused_total{reason="${reason}"}`);
  }
}
