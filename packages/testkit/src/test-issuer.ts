import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';

/** What an issuer answers at one path. */
export interface IssuerAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type IssuerRoute = (request: IncomingMessage, body: URLSearchParams) => IssuerAnswer | Promise<IssuerAnswer>;

/** A private key with the public one that the key set has. */
export interface IssuerKey {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export interface TestIssuerOptions {
  /** Where its metadata is; as RFC 8414 has it unless said otherwise. */
  readonly metadataPath?: string;
  /** What its URL has behind the host. */
  readonly path?: string;
}

/** A real authorization server on a free port, as far as a resource server sees it: metadata, keys, introspection. */
export class TestIssuer {
  /** Paths beside its own, and in place of them. */
  readonly routes = new Map<string, IssuerRoute>();
  /** Added to its metadata, or put in place of it. */
  readonly metadata: Record<string, unknown> = {};
  /** The keys that it publishes; the last one signs. */
  readonly keys: IssuerKey[] = [];
  /** What introspection says of opaque tokens. */
  readonly opaque = new Map<string, Readonly<Record<string, unknown>>>();
  /** How often each path was asked for. */
  readonly asked = new Map<string, number>();
  /** Whether it answers; else everything is a 500. */
  isUp = true;
  readonly issuer: string;
  readonly #server: Server;

  private constructor(
    server: Server,
    { metadataPath = '/.well-known/oauth-authorization-server', path = '' }: TestIssuerOptions,
  ) {
    this.#server = server;
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.issuer = origin + path;
    this.routes.set(metadataPath + (metadataPath.includes('openid') ? '' : path), () => ({ body: this.#metadata() }));
    this.routes.set('/keys', () => ({ body: { keys: this.keys.map(({ jwk }) => jwk) } }));
    this.routes.set('/introspect', (request, body) => this.#introspect(request, body));
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(options: TestIssuerOptions = {}): Promise<TestIssuer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = new TestIssuer(server, options);
    await issuer.rotate();
    return issuer;
  }

  /** Where a path of it is. */
  at(path: string): string {
    return new URL(path, this.issuer).href;
  }

  /** Signs by a new key from now on; the older ones stay published until they are taken out of `keys`. */
  async rotate(alg = 'ES256'): Promise<IssuerKey> {
    const key = await makeKey(alg);
    this.keys.push(key);
    return key;
  }

  /** A token of these claims, good for an hour unless they say otherwise. */
  async sign(
    claims: Readonly<Record<string, unknown>>,
    { key = this.keys.at(-1), header = {} }: { readonly key?: IssuerKey | undefined; readonly header?: object } = {},
  ): Promise<string> {
    if (key === undefined) throw new Error('the issuer has no key');
    const now = Math.floor(Date.now() / 1_000);
    const kid = key.jwk.kid as string;
    return new SignJWT({ iss: this.issuer, sub: 'user-1', iat: now, exp: now + 3_600, ...claims })
      .setProtectedHeader({ alg: key.jwk.alg as string, kid, typ: 'at+jwt', ...header } as JWTHeaderParameters)
      .sign(key.privateKey);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #metadata(): Readonly<Record<string, unknown>> {
    return { issuer: this.issuer, jwks_uri: this.at('/keys'), response_types_supported: ['code'], ...this.metadata };
  }

  #introspect({ headers }: IncomingMessage, body: URLSearchParams): IssuerAnswer {
    // Form-encoded before they were joined: "gate way" and "s3cret:+".
    if (headers.authorization !== `Basic ${Buffer.from('gate+way:s3cret%3A%2B').toString('base64')}`)
      return { status: 401 };
    return { body: this.opaque.get(body.get('token') ?? '') ?? { active: false } };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.issuer);
    this.asked.set(pathname, (this.asked.get(pathname) ?? 0) + 1);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const route = this.routes.get(pathname);
    const body = new URLSearchParams(Buffer.concat(parts).toString());
    const answer = !this.isUp ? { status: 500 } : ((await route?.(request, body)) ?? { status: 404 });
    response.writeHead(answer.status ?? 200, { 'Content-Type': 'application/json', ...answer.headers });
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
  }
}

/** A key pair of its own name. */
export async function makeKey(alg = 'ES256'): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: randomUUID(), alg, use: 'sig' } };
}
