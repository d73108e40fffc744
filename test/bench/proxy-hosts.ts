import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PROTOCOL_VERSION } from '@listen-gateway/protocol';
import type { Tool } from './proxy-upstream.ts';

/**
 * Hosts of the proxy bench: a fixed number of connections, each with one tools/call at a time. As cheap as they can be,
 * a socket each and no parser, in a process of their own, so that what they cost is not counted against a server.
 */
export interface HostsOrder {
  readonly type: 'call';
  readonly port: number;
  readonly tool: Tool;
  readonly connections: number;
  readonly requests: number;
  /** Length of the one string argument of each call. */
  readonly argumentBytes: number;
}

export interface HostsReport {
  readonly type: 'called';
  readonly tookMs: number;
  /** From the write of a request to the last byte of its answer. */
  readonly p50Us: number;
  readonly p90Us: number;
  readonly p99Us: number;
}

process.on('message', (order: HostsOrder) => void callAll(order));

async function callAll(order: HostsOrder): Promise<void> {
  const sockets = Array.from({ length: order.connections }, () => connect(order.port, '127.0.0.1').setNoDelay());
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const request = requestOf(order);
  const latenciesUs = new Float64Array(order.requests);
  let started = 0;
  const callNext = async (host: Host): Promise<void> => {
    while (started < order.requests) {
      const at = started;
      started += 1;
      const calledAt = performance.now();
      await host.call(request);
      latenciesUs[at] = (performance.now() - calledAt) * 1_000;
    }
  };
  const startedAt = performance.now();
  await Promise.all(sockets.map((socket) => callNext(new Host(socket))));
  const tookMs = performance.now() - startedAt;
  for (const socket of sockets) socket.destroy();
  latenciesUs.sort();
  const quantile = (share: number) => latenciesUs[Math.floor(latenciesUs.length * share)] ?? Number.NaN;
  report({ type: 'called', tookMs, p50Us: quantile(0.5), p90Us: quantile(0.9), p99Us: quantile(0.99) });
}

class Host {
  readonly #socket: Socket;
  #text = '';
  #answered = () => {};

  constructor(socket: Socket) {
    this.#socket = socket.setEncoding('latin1').on('data', (text) => this.#take(String(text)));
    // Without this a server that hangs up would leave the bench waiting in silence.
    socket.on('close', (failed) => failed && process.exit(1));
  }

  call(request: string): Promise<void> {
    this.#text = '';
    this.#socket.write(request, 'latin1');
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }

  #take(text: string): void {
    this.#text += text;
    if (!isWhole(this.#text)) return;
    if (!this.#text.startsWith('HTTP/1.1 200 ')) throw new Error(this.#text);
    this.#answered();
  }
}

/** Whether an answer has come to its end, by its length or its last chunk. */
function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const length = /^content-length: (\d+)\r$/im.exec(text.slice(0, head + 2))?.[1];
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length === head + 4 + Number(length);
}

function requestOf({ port, tool, argumentBytes }: HostsOrder): string {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 'call:1',
    method: 'tools/call',
    params: {
      name: tool,
      arguments: { text: 'x'.repeat(argumentBytes), times: 3, nested: { flag: true, list: [1, 2, 3] } },
      _meta: {
        progressToken: 'p1',
        'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {} },
        'io.modelcontextprotocol/clientInfo': { name: 'listen-gateway-bench', version: '1' },
      },
    },
  });
  const headers = {
    Host: `127.0.0.1:${port}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': PROTOCOL_VERSION,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': tool,
    'User-Agent': 'listen-gateway-bench',
    'Content-Length': String(body.length),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function report(message: HostsReport): void {
  process.send?.(message);
}
