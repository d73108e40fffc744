import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const AUDIENCE = 'https://publisher.acme.example';

/** Claims; undefined takes one away. */
export type Claims = { readonly [Name in keyof JWTPayload]: JWTPayload[Name] | undefined };

type Sign = (payload: JWTPayload) => Promise<string>;

/** An issuer of tokens for publishers, its keys served over HTTP. */
export class PublisherIssuer {
  readonly url: string;
  /** Whether its keys can be had. */
  up = true;
  readonly #server: Server;
  readonly #sign: Sign;

  private constructor(url: string, server: Server, sign: Sign) {
    this.url = url;
    this.#server = server;
    this.#sign = sign;
  }

  static async open(): Promise<PublisherIssuer> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] };
    const server = createServer((_request, response) => {
      if (!issuer.up) return response.writeHead(500).end();
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(jwks));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sign: Sign = (payload) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey);
    const issuer = new PublisherIssuer(url, server, sign);
    return issuer;
  }

  /** What the publisher's configuration says of it. */
  get config() {
    return { issuer: this.url, jwksUrl: `${this.url}/jwks`, audience: AUDIENCE };
  }

  /** A good token, but for what the test changes. */
  token(claims: Claims = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const good = { iss: this.url, aud: AUDIENCE, sub: 'erp', scope: 'lg:publish', exp: now + 300 };
    return this.#sign({ ...good, ...claims } as JWTPayload);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
