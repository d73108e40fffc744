import { describe, expect, it } from 'vitest';
import { responseHeaders } from './response-headers.ts';

type Lines = readonly (readonly [string, string])[];

/** The lines that go to the host; they come from undici as bytes. */
function forwarded(lines: Lines): readonly string[] {
  return responseHeaders(lines.flat().map((part) => Buffer.from(part, 'latin1')));
}

describe('the headers of a forwarded response', () => {
  it('are those of the upstream in its order and spelling, repeated ones and bytes above ASCII too (P-2.11)', () => {
    const lines = [
      ['content-type', 'text/event-stream'],
      ['Content-Encoding', 'gzip'],
      ['Content-Length', '12'],
      ['Set-Cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['Mcp-Session-Id', 'abc'],
      ['WWW-Authenticate', 'Bearer resource_metadata="https://a.example"'],
      ['Date', 'Mon, 30 Nov 2026 00:00:00 GMT'],
      ['X-Latin', 'caf\u00e9'],
      ['X-Empty', ''],
    ] as const;
    expect(forwarded(lines)).toEqual(lines.flat());
  });

  it.each(['Connection', 'Keep-Alive', 'Proxy-Connection', 'Trailer', 'TRANSFER-ENCODING', 'Upgrade'])(
    'are without %s, which says something of the connection of the upstream only',
    (name) => {
      expect(
        forwarded([
          ['X-Before', '1'],
          [name, 'x'],
          ['X-After', '2'],
        ]),
      ).toEqual(['X-Before', '1', 'X-After', '2']);
    },
  );

  it('are without those that Connection names, on one line or several, in any letters', () => {
    const lines = [
      ['Connection', 'close ,\tX-One'],
      ['x-one', '1'],
      ['X-Two', '2'],
      ['X-Three', '3'],
      ['connection', 'X-TWO'],
    ] as const;
    expect(forwarded(lines)).toEqual(['X-Three', '3']);
  });

  it('may be none', () => {
    expect(forwarded([])).toEqual([]);
  });
});
