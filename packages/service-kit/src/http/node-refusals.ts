import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** What Node refuses otherwise than with 400, by the code of the error. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Tells of the requests that Node refuses before anything else sees them: too slow, too large, or no HTTP. */
export function watchNodeRefusals(server: Server, onRefused: (status: number) => void): void {
  // Whoever listens for these two has to answer in Node's place; the answers are the very ones that Node gives.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable && !isAnswering(socket)) {
      const status = STATUSES[error.code ?? ''] ?? 400;
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`, 'latin1');
      onRefused(status);
    }
    socket.destroy(error);
  });
  server.on('checkExpectation', (_request, response) => {
    response.writeHead(417).end();
    onRefused(417);
  });
  const begun = (message: unknown) => {
    const { request, server: asked } = message as { readonly request: IncomingMessage; readonly server: Server };
    if (asked === server && lacksHost(request)) onRefused(400);
  };
  subscribe(REQUEST_START, begun);
  server.once('close', () => unsubscribe(REQUEST_START, begun));
}

/** Node answers a request without Host on the spot, and says so nowhere else. */
const REQUEST_START = 'http.server.request.start';

function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

/** Whether bytes of an answer are out: a refusal after them would stand in the middle of a stream. Node looks here, too. */
function isAnswering(socket: Duplex & { readonly _httpMessage?: { readonly _headerSent?: boolean } | null }): boolean {
  return socket._httpMessage?._headerSent === true;
}
