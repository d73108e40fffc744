import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The tools of the proxy bench's upstream: `echo` answers at once with about 1 KB of JSON, `wait` after a millisecond,
 * `count` with five events before it. Nothing else of a request is looked at, so that little of the machine is the
 * upstream's. Each way to it has a port of its own, by which the connections are told apart.
 */
export type Tool = 'echo' | 'wait' | 'count';

export interface UpstreamOrder {
  readonly type: 'connections';
}

export interface UpstreamPorts {
  readonly type: 'listening';
  readonly ports: readonly number[];
}

/** Connections made so far, in the order of the ports. */
export interface UpstreamConnections {
  readonly type: 'connections';
  readonly made: readonly number[];
}

const WAYS = 3;
const TEXT = 'The quick brown fox jumps over the lazy dog, and the dog lets it. '.repeat(14);
const RESULT = JSON.stringify({
  jsonrpc: '2.0',
  id: 'call:1',
  result: { resultType: 'complete', content: [{ type: 'text', text: TEXT }], isError: false },
});
const JSON_HEAD = { 'Content-Type': 'application/json', 'Content-Length': String(RESULT.length) };
const EVENTS_HEAD = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' };
const FRAMES = [
  ...[1, 2, 3, 4, 5].map((progress) =>
    JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p1', progress, total: 5 },
    }),
  ),
  RESULT,
].map((message) => `event: message\ndata: ${message}\n\n`);

const CALLS: Readonly<Record<Tool, (outgoing: ServerResponse) => void>> = {
  echo,
  wait: (outgoing) => void setTimeout(echo, 1, outgoing),
  count: (outgoing) => count(outgoing, 0),
};

const made = Array.from({ length: WAYS }, () => 0);
const servers = made.map((_, way) =>
  createServer((incoming, outgoing) => {
    const call = CALLS[incoming.headers['mcp-name'] as Tool];
    incoming.resume().once('end', () => call(outgoing));
  }).on('connection', () => {
    made[way] = (made[way] ?? 0) + 1;
  }),
);
await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
report({ type: 'listening', ports: servers.map((server) => (server.address() as AddressInfo).port) });

process.on('message', (order: UpstreamOrder) => {
  if (order.type === 'connections') report({ type: 'connections', made });
});

function echo(outgoing: ServerResponse): void {
  outgoing.writeHead(200, JSON_HEAD).end(RESULT);
}

/** A turn of the event loop between frames: each is a write of its own, as a tool that reports progress makes it. */
function count(outgoing: ServerResponse, sent: number): void {
  if (sent === 0) outgoing.writeHead(200, EVENTS_HEAD);
  const frame = FRAMES[sent];
  if (frame === undefined) {
    outgoing.end();
    return;
  }
  outgoing.write(frame);
  setImmediate(count, outgoing, sent + 1);
}

function report(message: UpstreamPorts | UpstreamConnections): void {
  process.send?.(message);
}
