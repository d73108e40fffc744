import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { LISTEN_HEADERS, listenBody, within } from '@listen-gateway/testkit';
import { FrontAnswer } from './front-answer.ts';

export type HttpVersion = 'HTTP/1.1' | 'HTTP/2';
export const HTTP_VERSIONS: readonly HttpVersion[] = ['HTTP/1.1', 'HTTP/2'];

type Headers = Readonly<Record<string, string>>;

/** A host that reaches the load balancer over TLS: by HTTP/2 on one connection, or by HTTP/1.1 on one for each request. */
export class FrontHost {
  readonly #url: string;
  readonly #ca: string;
  readonly #session: ClientHttp2Session | undefined;
  readonly #requests = new Set<ClientRequest>();

  private constructor(url: string, ca: string, session: ClientHttp2Session | undefined) {
    this.#url = url;
    this.#ca = ca;
    this.#session = session;
  }

  static async connect(url: string, ca: string, version: HttpVersion): Promise<FrontHost> {
    if (version === 'HTTP/1.1') return new FrontHost(url, ca, undefined);
    const session = connect(url, { ca });
    // A session that is cut shows in its streams.
    session.on('error', () => {});
    await within(10_000, 'the HTTP/2 connection', once(session, 'connect'));
    return new FrontHost(url, ca, session);
  }

  /** Opens a stream and waits for the head of its answer. */
  listen(id: string | number = 'L1'): Promise<FrontAnswer> {
    return this.post(LISTEN_HEADERS, listenBody(id, { toolsListChanged: true }));
  }

  /** POSTs to the MCP endpoint and waits for the head of the answer. */
  post(headers: Headers, body: string): Promise<FrontAnswer> {
    return this.#send('POST', '/mcp', headers, body);
  }

  get(path: string): Promise<FrontAnswer> {
    return this.#send('GET', path, {});
  }

  async #send(method: string, path: string, headers: Headers, body?: string): Promise<FrontAnswer> {
    if (this.#session !== undefined) return sendIn(this.#session, { method, path, headers, body });
    // HTTP/1.1 is all that is offered, so that the front cannot choose the other one.
    const options = { method, agent: false, ca: this.#ca, headers, ALPNProtocols: ['http/1.1'] };
    const request = httpsRequest(`${this.#url}${path}`, options);
    request.on('error', () => {}).end(body);
    this.#requests.add(request);
    const [response] = (await within(10_000, 'the head of an answer', once(request, 'response'))) as [IncomingMessage];
    return new FrontAnswer(response, response, () => request.destroy());
  }

  /** Leaves with all that it has asked, answered or not. */
  close(): void {
    this.#session?.destroy();
    for (const request of this.#requests) request.destroy();
  }
}

interface FrontRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

async function sendIn(
  session: ClientHttp2Session,
  { method, path, headers, body }: FrontRequest,
): Promise<FrontAnswer> {
  const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const stream = session.request({ ':method': method, ':path': path, ...Object.fromEntries(fields) });
  stream.on('error', () => {}).end(body);
  const [head] = (await within(10_000, 'the head of an answer', once(stream, 'response'))) as [
    Record<string, string> & { readonly ':status': number },
  ];
  return new FrontAnswer(stream, { statusCode: head[':status'], headers: head }, () => stream.close());
}
