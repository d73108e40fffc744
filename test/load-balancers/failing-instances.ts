import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** What a test finds out of two instances that fail alike. */
export interface FailingInstances {
  /** Requests that either has taken. */
  requests: number;
  close(): void;
}

/** Two that are ready, as their admin port says, but do with every request what `fail` does, once it is whole. */
export async function openFailing(
  { port, adminPort }: { readonly port: number; readonly adminPort: number },
  fail: RequestListener,
): Promise<FailingInstances> {
  const failing: FailingInstances = { requests: 0, close: () => servers.map((server) => server.close()) };
  const take: RequestListener = (request, response) => {
    failing.requests += 1;
    request.resume().on('end', () => fail(request, response));
  };
  const servers = ['127.0.0.1', '127.0.0.2'].flatMap((host) => [
    createServer(take).listen(port, host),
    createServer((_, response) => response.end('ready')).listen(adminPort, host),
  ]);
  for (const server of servers) if (!server.listening) await once(server, 'listening');
  return failing;
}
