import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type SampleServer, startSampleServer } from '@listen-gateway/service-sample-server';
import { type ServiceProcess, startService, within } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedRequest } from './recorded-request.ts';
import { RECORDED_REQUESTS } from './recorded-requests.ts';

/** What may differ: it says something of one connection, of the moment, or to browsers, whose Origin the gateway checks. */
const OF_THE_HOP = /^(?:connection|date|keep-alive|vary|access-control-.*)$/i;

interface Recorded {
  readonly status: number;
  readonly reason: string;
  /** Names in their spelling and values, in order, without those of the hop. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

let direct: SampleServer;
let behind: SampleServer;
let gateway: ServiceProcess;

beforeAll(async () => {
  // Two servers, so that what one request changes is changed once in the eyes of either.
  const open = () => startSampleServer({ host: '127.0.0.1', port: 0, serverId: 'default' });
  [direct, behind] = [await open(), await open()];
  gateway = await startService('gateway', {
    LG_SERVERS: JSON.stringify({ default: { upstream: { url: behind.url } } }),
  });
}, 60_000);
afterAll(async () => {
  await gateway.kill();
  await Promise.all([direct.close(), behind.close()]);
});

async function record(url: string, sent: RecordedRequest): Promise<Recorded> {
  const { verb = 'POST', query = '', headers, body, leavesAfter } = sent;
  const request = httpRequest(`${url}${query}`, { method: verb, agent: false });
  for (const [name, value] of Object.entries(headers)) if (value.length > 0) request.setHeader(name, value);
  request.end(body);
  const [response] = (await within(10_000, 'the head of the answer', once(request, 'response'))) as [IncomingMessage];
  const bytes = await within(10_000, 'the body of the answer', read(response, leavesAfter));
  request.destroy();
  const { statusCode = 0, statusMessage = '', rawHeaders } = response;
  const kept = rawHeaders.filter((_, at) => !OF_THE_HOP.test(rawHeaders[at - (at % 2)] ?? ''));
  return { status: statusCode, reason: statusMessage, headers: kept, body: bytes };
}

/** The whole body, or its first frames. */
async function read(response: IncomingMessage, frames = Number.POSITIVE_INFINITY): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const part of response) {
    bytes = Buffer.concat([bytes, part as Buffer]);
    const parts = bytes.toString('latin1').split('\n\n');
    if (parts.length > frames) return Buffer.from(`${parts.slice(0, frames).join('\n\n')}\n\n`, 'latin1');
  }
  return bytes;
}

const masked = (body: Buffer, mask: RegExp | undefined) =>
  mask === undefined ? body.toString('latin1') : body.toString('latin1').replace(mask, 'masked');

function codeOf(body: Buffer): unknown {
  const code = body.length === 0 ? undefined : JSON.parse(body.toString()).error?.code;
  // The SDK's own for what is wrong with HTTP, from a range in which the revision allots no more.
  return code === -32_000 ? -32_600 : code;
}

describe('through the gateway and directly', () => {
  it('at least sixty requests are compared, each under a name of its own', () => {
    const names = RECORDED_REQUESTS.map(({ name }) => name);
    expect(names.length).toBeGreaterThanOrEqual(60);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(RECORDED_REQUESTS.filter(({ answeredHere }) => answeredHere === undefined))(
    '$name has the same status, headers and bytes (P-2.11)',
    async (sent) => {
      const expected = await record(direct.url, sent);
      const got = await record(`${gateway.url}/mcp`, sent);
      expect({ ...got, body: 0 }).toEqual({ ...expected, body: 0 });
      // Strings, because a difference in a buffer of a megabyte would fill the screen.
      expect(
        masked(got.body, sent.mask) === masked(expected.body, sent.mask),
        `${expected.body}\n${got.body}`.slice(0, 2_000),
      ).toBe(true);
    },
  );

  it.each(RECORDED_REQUESTS.filter(({ answeredHere }) => answeredHere === true))(
    '$name has the same status and error code, although the gateway answers',
    async (sent) => {
      const expected = await record(direct.url, sent);
      const got = await record(`${gateway.url}/mcp`, sent);
      expect([got.status, codeOf(got.body)]).toEqual([expected.status, codeOf(expected.body)]);
    },
  );
});
