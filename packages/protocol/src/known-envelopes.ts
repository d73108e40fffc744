import { PROTOCOL_VERSION, PROTOCOL_VERSION_META_KEY } from './meta-keys.ts';

/** Envelopes remembered; all are forgotten when there are more. */
const MOST = 1_000;
/** Characters of one. */
const LONGEST = 2_000;

/** Members of `_meta` that differ from request to request, and of which a type is all that is asked. */
interface PerRequest {
  readonly progressToken?: unknown;
  readonly traceparent?: unknown;
  readonly tracestate?: unknown;
  readonly baggage?: unknown;
}

/**
 * The `_meta` envelopes that the official classifier has found valid for this revision.
 *
 * It validates each message by schema, which takes more time than all other checks of a request together
 * (`npm run bench:proxy`), yet a host sends one envelope all its life. What the classifier would say of a request is known where
 * its envelope is one of these, its headers name its revision and its method, and it has no member besides the four.
 */
export class KnownEnvelopes {
  readonly #texts = new Set<string>();

  /** Whether an envelope like this one was added. */
  has(meta: Readonly<Record<string, unknown>>): boolean {
    const text = textOf(meta);
    return text !== undefined && this.#texts.has(text);
  }

  /** Remembers an envelope that is valid. */
  add(meta: Readonly<Record<string, unknown>>): void {
    const text = textOf(meta);
    if (text === undefined) return;
    if (this.#texts.size >= MOST) this.#texts.clear();
    this.#texts.add(text);
  }
}

/** What is the same for two envelopes only if both are valid or neither is; `undefined` where that is not sure. */
function textOf(meta: Readonly<Record<string, unknown>>): string | undefined {
  if (meta[PROTOCOL_VERSION_META_KEY] !== PROTOCOL_VERSION) return undefined;
  const { progressToken, traceparent, tracestate, baggage, ...constant } = meta as PerRequest;
  const plain = [traceparent, tracestate, baggage].every((one) => one === undefined || typeof one === 'string');
  if (!plain || !isProgressToken(progressToken)) return undefined;
  const text = JSON.stringify(constant);
  // A number too large for JSON is written as null.
  return text.length > LONGEST || text.includes('null') ? undefined : text;
}

function isProgressToken(token: unknown): boolean {
  return token === undefined || typeof token === 'string' || Number.isSafeInteger(token);
}
