import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A request as a `curl` line sends it. */
export interface CurlRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const README = join(import.meta.dirname, '..', '..', 'README.md');

/** The two requests that the README has a newcomer send: a host's listen and a backend's change. */
export function readmeRequests(): readonly [listen: CurlRequest, publish: CurlRequest] {
  const text = readFileSync(README, 'utf8').replaceAll('\\\n', ' ');
  const [listen, publish, ...rest] = text.split('\n').filter((line) => line.startsWith('curl '));
  if (listen === undefined || publish === undefined || rest.length > 0) {
    throw new Error('the README should have exactly two lines that begin with curl');
  }
  return [readCurl(listen), readCurl(publish)];
}

/** Sends it to the same path on another port. */
export function send({ url, headers, body }: CurlRequest, port: number): Promise<Response> {
  const target = new URL(url);
  target.port = String(port);
  return fetch(target, { method: 'POST', headers, body });
}

function readCurl(line: string): CurlRequest {
  const url = /(?<= )http:\S+/.exec(line)?.[0];
  const body = / -d '([^']*)'/.exec(line)?.[1];
  if (url === undefined || body === undefined) throw new Error(`no URL or no body in: ${line}`);
  const headers = Array.from(line.matchAll(/ -H '([^:]+): ([^']*)'/g), ([, name = '', value = '']) => [name, value]);
  return { url: new URL(url), headers: Object.fromEntries(headers) as Record<string, string>, body };
}
