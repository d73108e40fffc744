import { expect } from 'vitest';
import { CALL, openProxy } from './proxied-host.ts';
import { RawHost } from './raw-host.ts';
import { StubUpstream } from './stub-upstream.ts';
import type { ConfigSketch, TestGateway } from './test-gateway.ts';

export type Lines = readonly (readonly [string, string])[];

/** The headers and the body of a good tool call. */
export const CALL_LINES = Object.entries(CALL.headers ?? {}) as [string, string][];
export const CALL_BODY = String(CALL.body);

/** The lines with these in place of those of the same name. */
export function replaced(lines: Lines, ...others: Lines): Lines {
  const names = new Set(others.map(([name]) => name.toLowerCase()));
  return [...lines.filter(([name]) => !names.has(name.toLowerCase())), ...others];
}

/** A POST of these lines and this body, as it stands on the wire, all but a length as the lines say. */
export function wire(lines: Lines, body: string, line = 'POST /mcp HTTP/1.1'): string {
  const head = [['Host', 'localhost'], ...lines].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${line}\r\n${head}\r\n${body}`;
}

/** An instance, its upstream that records all, and a host that tries to get something past the one to the other. */
export class Smuggler {
  readonly upstream: StubUpstream;
  readonly gateway: TestGateway;

  private constructor(upstream: StubUpstream, gateway: TestGateway) {
    this.upstream = upstream;
    this.gateway = gateway;
  }

  /** `path` is that of the upstream. */
  static async open({ path = '/mcp', ...sketch }: ConfigSketch & { readonly path?: string } = {}): Promise<Smuggler> {
    const upstream = await StubUpstream.open();
    return new Smuggler(upstream, await openProxy(new URL(path, upstream.url).href, {}, sketch));
  }

  /** Sends just these bytes; the length of the body is told unless the lines say how it is framed. */
  async post(lines: Lines, body: string | Buffer = CALL_BODY, line?: string) {
    const bytes = Buffer.from(body);
    const isFramed = lines.some(([name]) => /^(content-length|transfer-encoding)\s*$/i.test(name));
    const framing: Lines = isFramed ? [] : [['Content-Length', String(bytes.length)]];
    const host = await RawHost.connect(this.gateway.url);
    host.send(wire([...lines, ...framing], '', line)).send(bytes);
    const [, status] = await host.until(/^HTTP\/1\.1 (\d{3}) /, 'the answer');
    const [, code] = host.text.match(/"code":(-\d+)/) ?? [];
    host.socket.destroy();
    return { status: Number(status), code: code === undefined ? undefined : Number(code) };
  }

  /** Nothing reached the upstream, not even a connection; and the instance goes on as if nothing had been. */
  async expectNothing(): Promise<void> {
    expect(this.upstream.connections).toBe(0);
    expect((await this.post(CALL_LINES)).status).toBe(200);
    expect(this.upstream.requests.map(({ body }) => body.toString())).toEqual([CALL_BODY]);
    expect(this.gateway.log.filter(({ level }) => level === 'error')).toEqual([]);
  }
}
