import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';

/** An app that is being served. */
export interface Listening {
  /** Where, as the start of a URL: `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** Stops, cutting connections that are still open. */
  close(): Promise<void>;
}

/** Serves an app; rejects if the address is not to be had. */
export async function listen(app: Hono, host: string, port: number): Promise<Listening> {
  // The adapter's own Request and Response would replace the global ones of the whole process, of a gateway in it too.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    origin: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
