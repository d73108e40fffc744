import type { Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { watchNodeRefusals } from './node-refusals.ts';

/** What serves requests; `env` has Node's own request and response. */
export type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>;

export interface HttpServerOptions {
  readonly fetch: Fetch;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Above what load balancers keep idle connections for (60 s), or they reuse one that is just being closed. */
  readonly keepAliveTimeoutMs?: number;
  /** Time for a request to arrive whole; it bounds what a connection without any request may wait as well. */
  readonly requestTimeoutMs?: number;
  /** Bytes of the head of one request. */
  readonly headerBytes?: number;
  /** Told of each request that is refused before `fetch` sees it: too slow, too large, or no HTTP. */
  readonly onRefused?: (status: number) => void;
}

/** A server that listens. */
export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** Stops accepting, closes idle connections, resolves when the last answer is out. Closing twice is fine. */
  close(): Promise<void>;
  /** Destroys the connections that are left. */
  cut(): void;
}

const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const REQUEST_TIMEOUT_MS = 80_000;
const KEEP_ALIVE_PROBE_MS = 30_000;
const HEADER_BYTES = 16 * 1024;
/** Hosts of an instance that went come all at once. Beyond Node's 511 the kernel drops or resets them; it caps this at `somaxconn`. */
const BACKLOG = 4_096;

/** Listens over HTTP/1.1; rejects with one readable line where it cannot. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer(options);
  const unused = trackUnused(server);
  const answering = trackAnswers(server);
  await listening(server, options);
  // A server that never listened is never closed, and what it watches would be watched for ever.
  if (options.onRefused) watchNodeRefusals(server, options.onRefused);
  const { port } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  return {
    url: `http://${urlHost(options.host)}:${port}`,
    port,
    close() {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve());
        // Node counts a connection on which no request began as busy, and no longer times it out once closed.
        for (const socket of unused) socket.destroy();
        for (const response of answering) lastOfConnection(response);
      });
      return closed;
    },
    cut: () => server.closeAllConnections(),
  };
}

function createServer(options: HttpServerOptions): Server {
  const { fetch, keepAliveTimeoutMs = KEEP_ALIVE_TIMEOUT_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const { headerBytes = HEADER_BYTES } = options;
  const serverOptions: ServerOptions = {
    keepAliveTimeout: keepAliveTimeoutMs,
    // Node swaps the two where headersTimeout is the larger. Both stand above keepAliveTimeout: a load balancer that
    // opens connections ahead of need would else find a 408 waiting on one (FIELD F4).
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
    maxHeaderSize: headerBytes,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
  };
  // Without options that ask for HTTP/2 or TLS the adaptor creates this server.
  return createAdaptorServer({ fetch: fetch as never, overrideGlobalObjects: false, serverOptions }) as Server;
}

function trackUnused(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.prependListener('request', ({ socket }) => unused.delete(socket));
  return unused;
}

/** The answers under way; once the server no longer listens, each is the last of its connection. */
function trackAnswers(server: Server): ReadonlySet<ServerResponse> {
  const answering = new Set<ServerResponse>();
  let sweeping = false;
  // Node closes connections that are idle at the close and leaves those that become so to their timeout. One sweep
  // serves all answers of a tick, because each walks every connection.
  const sweep = () => {
    if (sweeping) return;
    sweeping = true;
    setImmediate(() => {
      sweeping = false;
      server.closeIdleConnections();
    });
  };
  server.prependListener('request', (_request, response) => {
    answering.add(response);
    if (!server.listening) lastOfConnection(response);
    response.once('close', () => {
      answering.delete(response);
      if (!server.listening) sweep();
    });
  });
  return answering;
}

function lastOfConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function listening(server: Server, { host, port }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'the address is in use' : cause.message;
      reject(new Error(`cannot listen on ${urlHost(host)}:${port}: ${why}`, { cause }));
    };
    server.once('error', fail);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
