import fc from 'fast-check';

/** The bytes of a request, in the pieces in which they are sent. */
export interface RawRequest {
  readonly pieces: readonly Buffer[];
  /** Whether they are one whole request of HTTP/1.1, which has to be answered whatever it asks for. */
  readonly whole: boolean;
}

/** What a request is made of; the parts are those that a service reads. */
export interface RequestParts {
  readonly method: fc.Arbitrary<string>;
  readonly path: fc.Arbitrary<string>;
  readonly headers: fc.Arbitrary<readonly (readonly [string, string])[]>;
  readonly body: fc.Arbitrary<Buffer>;
}

/** Not a double, most of which are next to nothing. */
const share = fc.nat(999).map((thousandths) => thousandths / 1_000);

type Framing = 'length' | 'chunked' | 'none' | 'too long' | 'too short' | 'bad chunks' | 'both' | 'bad length';

const FRAMINGS: readonly fc.MaybeWeightedArbitrary<Framing>[] = [
  { weight: 12, arbitrary: fc.constant<Framing>('length') },
  { weight: 6, arbitrary: fc.constant<Framing>('chunked') },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Framing>('none', 'too long', 'too short', 'bad chunks', 'both', 'bad length'),
  },
];

/** Requests of these parts: well framed, badly framed, cut off, in pieces; and bytes that are no request at all. */
export function rawRequests({ method, path, headers, body }: RequestParts): fc.Arbitrary<RawRequest> {
  const framed = fc
    .record({
      method,
      path,
      headers,
      body,
      framing: fc.oneof(...FRAMINGS),
      cut: share,
    })
    .map(({ framing, cut, ...parts }) => {
      const bytes = Buffer.concat([head(parts, framing), framedBody(parts.body, framing)]);
      // One in five is cut off somewhere.
      const isCut = cut < 0.2;
      const sent = isCut ? bytes.subarray(0, Math.floor(bytes.length * cut * 5)) : bytes;
      return { sent, whole: !isCut && isWhole(framing) && isPlain(parts) };
    });
  const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ sent: Buffer.from(bytes), whole: false }));
  const whatever = fc.oneof({ weight: 30, arbitrary: framed }, { weight: 1, arbitrary: noise });
  return fc.tuple(whatever, fc.array(share, { maxLength: 3 })).map(([{ sent, whole }, at]) => ({
    pieces: split(sent, at),
    whole,
  }));
}

interface Parts {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

function head({ method, path, headers, body }: Parts, framing: Framing): Buffer {
  const lengths: Readonly<Record<Framing, readonly string[]>> = {
    length: [`Content-Length: ${body.length}`],
    chunked: ['Transfer-Encoding: chunked'],
    none: [],
    'too long': [`Content-Length: ${body.length + 10}`],
    'too short': [`Content-Length: ${Math.max(0, body.length - 10)}`],
    'bad chunks': ['Transfer-Encoding: chunked'],
    both: [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'],
    'bad length': ['Content-Length: 1e3'],
  };
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...lengths[framing],
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function framedBody(body: Buffer, framing: Framing): Buffer {
  if (framing === 'bad chunks') return Buffer.concat([Buffer.from('zz\r\n'), body]);
  if (framing !== 'chunked' && framing !== 'both') return body;
  const middle = Math.floor(body.length / 2);
  const chunks = [body.subarray(0, middle), body.subarray(middle)].filter((chunk) => chunk.length > 0);
  const parts = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

function isWhole(framing: Framing): boolean {
  return framing === 'length' || framing === 'chunked';
}

/** Whether Node is sure to see the request as it was meant: others may change the framing, or wait for something. */
function isPlain({ method, path, headers }: Parts): boolean {
  const special = new Set(['content-length', 'transfer-encoding', 'expect', 'upgrade', 'connection']);
  return (
    !['CONNECT', 'HEAD'].includes(method) &&
    /^[A-Z]+$/.test(method) &&
    /^\/[\x21-\x7e]*$/.test(path) &&
    headers.every(
      ([name, value]) => /^[\w-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value) && !special.has(name.toLowerCase()),
    )
  );
}

function split(bytes: Buffer, at: readonly number[]): readonly Buffer[] {
  const cuts = [
    0,
    ...at.map((part) => Math.floor(part * bytes.length)).sort((one, other) => one - other),
    bytes.length,
  ];
  return cuts
    .slice(1)
    .map((end, index) => bytes.subarray(cuts[index], end))
    .filter((piece) => piece.length > 0);
}
