import { createHash, randomUUID } from 'node:crypto';
import { type IssuerAnswer, TestIssuer } from '@listen-gateway/testkit';

/** A login that a user began, and what they granted. */
interface Login {
  readonly resource: string;
  readonly scope: string;
  readonly challenge: string;
}

/** Who may have tokens of its own. */
export const ROBOT = { clientId: 'robot', clientSecret: 's3cret' } as const;
/** A client that acts for users. */
export const APP = { clientId: 'app', redirectUrl: 'http://127.0.0.1:9/callback' } as const;

/** A whole authorization server: client credentials, and logins with a code and PKCE; access tokens are JWTs for the resource. */
export class AuthorizationServer {
  readonly issuer: TestIssuer;
  /** How long its tokens are good. */
  lifetimeS = 3_600;
  /** The resources that tokens were asked for (RFC 8707). */
  readonly resources: string[] = [];
  readonly #logins = new Map<string, Login>();

  private constructor(issuer: TestIssuer) {
    this.issuer = issuer;
    Object.assign(issuer.metadata, {
      authorization_endpoint: issuer.at('/authorize'),
      token_endpoint: issuer.at('/token'),
      grant_types_supported: ['authorization_code', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
      authorization_response_iss_parameter_supported: true,
    });
    issuer.routes.set('/authorize', ({ url = '' }) => this.#authorize(new URL(url, issuer.issuer).searchParams));
    issuer.routes.set('/token', ({ headers }, body) => this.#token(headers.authorization, body));
  }

  static async start(): Promise<AuthorizationServer> {
    return new AuthorizationServer(await TestIssuer.start());
  }

  /** The user who is sent there agrees at once. */
  #authorize(asked: URLSearchParams): IssuerAnswer {
    const code = randomUUID();
    const part = (name: string) => asked.get(name) ?? '';
    this.#logins.set(code, { resource: part('resource'), scope: part('scope'), challenge: part('code_challenge') });
    const back = new URL(part('redirect_uri'));
    const answer = { code, state: part('state'), iss: this.issuer.issuer };
    for (const [name, value] of Object.entries(answer)) if (value !== '') back.searchParams.set(name, value);
    return { status: 302, headers: { Location: back.href } };
  }

  async #token(authorization: string | undefined, asked: URLSearchParams): Promise<IssuerAnswer> {
    if (asked.get('grant_type') === 'client_credentials') {
      const { clientId, clientSecret } = ROBOT;
      const login = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
      if (authorization !== login) return { status: 401, body: { error: 'invalid_client' } };
      return this.#grant(clientId, asked.get('resource') ?? '', asked.get('scope') ?? '');
    }
    const code = asked.get('code') ?? '';
    const login = this.#logins.get(code);
    const verifier = asked.get('code_verifier') ?? '';
    const proven = createHash('sha256').update(verifier).digest('base64url') === login?.challenge;
    if (login === undefined || !proven) return { status: 400, body: { error: 'invalid_grant' } };
    this.#logins.delete(code);
    return this.#grant('user-1', login.resource, login.scope);
  }

  async #grant(sub: string, resource: string, scope: string): Promise<IssuerAnswer> {
    this.resources.push(resource);
    const exp = Math.floor(Date.now() / 1_000) + this.lifetimeS;
    const token = await this.issuer.sign({ sub, aud: resource, scope, exp, jti: randomUUID() });
    return { body: { access_token: token, token_type: 'Bearer', expires_in: this.lifetimeS, scope } };
  }
}
