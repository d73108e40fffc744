import { eventually, freePort, type ServiceProcess, startService, within } from '@listen-gateway/testkit';
import {
  Client,
  ClientCredentialsProvider,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { APP, AuthorizationServer, ROBOT } from './authorization-server.ts';

let server: AuthorizationServer;
let gateway: ServiceProcess;
let publisherUrl: string;
const clients: Client[] = [];

beforeAll(async () => {
  server = await AuthorizationServer.start();
  const [port, adminPort, publisherPort] = [await freePort(), await freePort(), await freePort()];
  publisherUrl = `http://127.0.0.1:${publisherPort}`;
  const auth = { issuer: server.issuer.issuer, scopes: ['mcp:listen'] };
  gateway = await startService(
    'standalone',
    {
      LG_HTTP__PUBLIC_URL: `http://127.0.0.1:${port}`,
      LG_SERVERS: JSON.stringify({ default: { auth } }),
      LG_PUBLISHER__PORT: String(publisherPort),
      LG_SAMPLE__PORT: '0',
      LG_LOG__LEVEL: 'debug',
    },
    { host: '127.0.0.1', port, adminPort },
  );
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await gateway.kill();
  await server.issuer.close();
});

const url = () => new URL(`${gateway.url}/mcp`);

function makeClient(): { readonly client: Client; readonly heard: string[] } {
  const client = new Client({ name: 'oauth-host', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const heard: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
  clients.push(client);
  return { client, heard };
}

async function publish(): Promise<void> {
  const answer = await fetch(`${publisherUrl}/v1/servers/default/changes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ method: 'notifications/tools/list_changed' }),
  });
  expect(answer.status).toBe(202);
}

async function hears(heard: readonly string[], count: number): Promise<void> {
  await eventually(5_000, `${count} notifications, ${heard.length} heard`, () => heard.length >= count);
}

const robot = () => new ClientCredentialsProvider({ ...ROBOT, expectedIssuer: server.issuer.issuer });

describe('the official client without a token', () => {
  it('is shown the way to one by the gateway, and listens with it: 401, metadata, token, stream (P-3.1, P-3.2)', async () => {
    const { client, heard } = makeClient();
    await client.connect(new StreamableHTTPClientTransport(url(), { authProvider: robot() }));
    const subscription = await client.listen({ toolsListChanged: true });
    expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });
    await publish();
    await hears(heard, 1);
    expect(heard).toEqual(['notifications/tools/list_changed']);
    expect(server.resources.at(-1), 'the resource that the metadata names').toBe(url().href);
    const { tools } = await client.listTools();
    expect(tools.length, 'forwarded requests bear the token too').toBeGreaterThan(0);
  });

  it('has its user log in where it acts for one: code, PKCE, token, stream (P-3.1, P-3.2)', async () => {
    const provider = new UserProvider();
    const first = new StreamableHTTPClientTransport(url(), { authProvider: provider });
    await expect(makeClient().client.connect(first)).rejects.toThrow(UnauthorizedError);
    const { searchParams } = await provider.userAgrees();
    expect(provider.sentTo?.searchParams.get('scope')).toBe('mcp:listen');
    await first.finishAuth(searchParams);

    const { client, heard } = makeClient();
    await client.connect(new StreamableHTTPClientTransport(url(), { authProvider: provider }));
    await client.listen({ toolsListChanged: true });
    await publish();
    await hears(heard, 1);
  });

  it('listens again with a fresh token when its stream was dropped with the old one (P-3.3, INS-03)', async () => {
    server.lifetimeS = 3;
    const { client, heard } = makeClient();
    await client.connect(new StreamableHTTPClientTransport(url(), { authProvider: robot() }));
    const subscription = await client.listen({ toolsListChanged: true });
    expect(await within(8_000, 'the end of the stream', subscription.closed)).toBe('remote');
    server.lifetimeS = 3_600;
    await client.listen({ toolsListChanged: true });
    await publish();
    await hears(heard, 1);
    expect(await gateway.metric('lg_streams_closed_total{reason="token-expired"}')).toBe(1);
  });

  it('gets nowhere with a token for another server (P-3.1)', async () => {
    const token = await server.issuer.sign({ aud: 'https://other.example/mcp', scope: 'mcp:listen' });
    const transport = new StreamableHTTPClientTransport(url(), {
      authProvider: { token: async () => token },
    });
    await expect(makeClient().client.connect(transport)).rejects.toThrow();
    expect(gateway.output).not.toContain(token);
  });
});

/** What an application keeps of one user, and the browser that it sends them to. */
class UserProvider implements OAuthClientProvider {
  sentTo: URL | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';

  readonly redirectUrl = APP.redirectUrl;
  readonly clientMetadata = { redirect_uris: [APP.redirectUrl], token_endpoint_auth_method: 'none' };

  clientInformation() {
    return { client_id: APP.clientId, issuer: server.issuer.issuer };
  }

  tokens() {
    return this.#tokens;
  }

  discoveryState() {
    return this.#discovered;
  }

  saveDiscoveryState(discovered: OAuthDiscoveryState): void {
    this.#discovered = discovered;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(authorizationUrl: URL): void {
    this.sentTo = authorizationUrl;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  /** The browser goes where it was sent, and is sent back. */
  async userAgrees(): Promise<URL> {
    if (this.sentTo === undefined) throw new Error('nobody was sent to log in');
    const answer = await fetch(this.sentTo, { redirect: 'manual' });
    return new URL(answer.headers.get('Location') ?? '');
  }
}
