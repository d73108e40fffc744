import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PROTOCOL_VERSION } from '@listen-gateway/protocol';
import {
  type ListenAnswer,
  openListen,
  openRedisProcess,
  openWhole,
  type RedisProcess,
  type ServiceName,
  type ServiceProcess,
  startService,
  TestIssuer,
} from '@listen-gateway/testkit';

/** The audience of tokens for the server `guarded`. */
const AUDIENCE = 'https://mcp.example/mcp/guarded';

/** Two gateways, a publisher and Redis, with everything around them that a rule asks for: an issuer, an authorizer, an upstream. */
export interface WatchedFleet {
  readonly redis: RedisProcess;
  readonly gateways: readonly ServiceProcess[];
  readonly publisher: ServiceProcess;
  /** Each thing once that is measured: listens, with and without a token, a publish, a forwarded call. */
  traffic(): Promise<void>;
  close(): Promise<void>;
}

export async function openWatchedFleet(): Promise<WatchedFleet> {
  return openWhole(startFleet);
}

async function startFleet(keep: (close: () => Promise<unknown>) => void): Promise<Omit<WatchedFleet, 'close'>> {
  const redis = await openRedisProcess();
  keep(() => redis.close());
  const issuer = await TestIssuer.start();
  keep(() => issuer.close());
  const backend = await startBackend();
  keep(() => backend.close());
  const auth = {
    issuers: [{ issuer: issuer.issuer }],
    audience: AUDIENCE,
    // Asked for again and again, so that Prometheus sees it happen.
    revalidateMs: 1_000,
    authorizer: { url: backend.url, ttlMs: 0 },
  };
  const env = {
    LG_BROKER__URL: redis.url,
    LG_SERVERS: JSON.stringify({ default: {}, forwarded: { upstream: { url: backend.url } }, guarded: { auth } }),
  };
  const start = async (name: ServiceName) => {
    const service = await startService(name, env);
    keep(() => service.kill());
    return service;
  };
  const gateways = [await start('gateway'), await start('gateway')];
  const publisher = await start('publisher');
  const streams: ListenAnswer[] = [];
  const closeStreams = async () => {
    for (const stream of streams.splice(0)) stream.close();
  };
  keep(closeStreams);
  return {
    redis,
    gateways,
    publisher,
    traffic: async () => {
      const token = await issuer.sign({ aud: AUDIENCE });
      const headers = { Authorization: `Bearer ${token}` };
      // Those of the time before, so that streams are closed too, and no limit is met.
      await closeStreams();
      for (const { url } of gateways) {
        for (const stream of [await openListen(`${url}/mcp`), await openListen(`${url}/mcp/guarded`, { headers })]) {
          streams.push(stream);
          if (stream.status !== 200) throw new Error(`a listen was answered ${stream.status}: ${stream.text}`);
        }
        await expectStatus(200, call(url));
      }
      await expectStatus(202, publish(publisher.url));
    },
  };
}

/** Grants what is requested, and answers every call. */
async function startBackend() {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { id = null, requested } = JSON.parse(text) as { readonly id?: unknown; readonly requested?: object };
  const body = requested === undefined ? { jsonrpc: '2.0', id, result: {} } : { granted: requested };
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function call(url: string): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return fetch(`${url}/mcp/forwarded`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': PROTOCOL_VERSION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'anything',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta, name: 'anything' } }),
  });
}

function publish(url: string): Promise<Response> {
  return fetch(`${url}/v1/servers/default/changes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ method: 'notifications/tools/list_changed' }),
  });
}

async function expectStatus(status: number, response: Promise<Response>): Promise<void> {
  const answered = await response;
  const text = await answered.text();
  if (answered.status !== status) throw new Error(`${answered.url} answered ${answered.status}: ${text}`);
}
