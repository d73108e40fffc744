import fc from 'fast-check';

/** Text that a parser may stumble over. */
export const oddText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
    '../..',
    '%00',
    '%',
    'a'.repeat(9_000),
    '-1',
    '1e309',
  ),
);

/** JSON values, some of them deep or large. */
export const oddJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], {}, -0, 1.5, 2 ** 53, 'x'.repeat(5_000)) },
  { weight: 1, arbitrary: fc.nat(200).map(nested) },
);

/** A valid value most of the time, else anything. */
export function mostly<T>(good: fc.Arbitrary<T>, weight = 20): fc.Arbitrary<unknown> {
  return fc.oneof({ weight, arbitrary: good }, { weight: 1, arbitrary: oddJson });
}

/** Bodies: JSON of a value; JSON that was damaged; bytes. */
export function bodies(value: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  const json = value.map((one) => Buffer.from(JSON.stringify(one) ?? ''));
  const damaged = fc.tuple(json, fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
    const copy = Buffer.from(bytes);
    if (copy.length > 0) copy[at % copy.length] = byte;
    return copy;
  });
  const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  return fc.oneof({ weight: 10, arbitrary: json }, { weight: 2, arbitrary: damaged }, { weight: 1, arbitrary: noise });
}

/** A value of a header without a line's end in it, which would be another header. */
const headerValue = fc.oneof(fc.string({ maxLength: 60 }), oddText).map((text) => text.replace(/[\r\n]/g, ' '));

/** The good headers, of which some are missing, changed or there twice, and some others. */
export function headers(good: Readonly<Record<string, string>>): fc.Arbitrary<readonly (readonly [string, string])[]> {
  const each = Object.entries(good).map(([name, value]) =>
    fc.oneof(
      { weight: 60, arbitrary: fc.constant([[name, value]] as const) },
      { weight: 1, arbitrary: fc.constant([] as const) },
      { weight: 1, arbitrary: headerValue.map((other) => [[name, other]] as const) },
      {
        weight: 1,
        arbitrary: headerValue.map(
          (other) =>
            [
              [name, value],
              [name, other],
            ] as const,
        ),
      },
    ),
  );
  const strange = fc.tuple(fc.constantFrom(...STRANGE), headerValue).map(([name, value]) => [[name, value]] as const);
  const others = fc.oneof({ weight: 4, arbitrary: fc.constant([] as const) }, { weight: 1, arbitrary: strange });
  return fc.tuple(...each, others).map((lines) => lines.flat());
}

const STRANGE = [
  'Origin',
  'Cookie',
  'Expect',
  'Upgrade',
  'Connection',
  'Content-Encoding',
  'Transfer-Encoding',
  'Content-Length',
  'Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'Idempotency-Key',
  'Authorization',
  'Mcp-Session-Id',
  'Last-Event-ID',
  'Access-Control-Request-Method',
  'Bad Name',
  '',
];

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
