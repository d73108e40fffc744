/** Where a trace stands, in the two texts of W3C Trace Context; made by `readTraceContext`, so both are well-formed. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** As `traceparent` names them. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

const STATE_KEY = /^(?:[a-z][_0-9a-z\-*/]{0,255}|[a-z0-9][_0-9a-z\-*/]{0,240}@[a-z][_0-9a-z\-*/]{0,13})$/;
const STATE_VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MOST_STATES = 32;
/** W3C Trace Context, 3.3.1.5: as much is to be handed on; what is longer loses members from its end. */
const LONGEST_STATE = 512;
/** No well-formed state is longer, white space aside. One in `_meta` may be as long as a body, and is not looked through. */
const LONGEST_READ = MOST_STATES * (2 * 256 + 2);

/**
 * Reads a trace context that anybody may have sent. One that is malformed is no error: whoever receives it goes on as
 * if there were none (W3C Trace Context, 3.2.2.3), and a state without its parent means nothing.
 */
export function readTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  const parent = typeof traceparent === 'string' ? readParent(traceparent) : undefined;
  if (parent === undefined) return undefined;
  const state = typeof tracestate === 'string' ? readState(tracestate) : undefined;
  return state === undefined ? { traceparent: parent } : { traceparent: parent, tracestate: state };
}

/** The trace context in the `_meta` of a message: MCP keeps the names of the headers (SEP-414). */
export function traceContextIn(meta: unknown): TraceContext | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  const { traceparent, tracestate } = meta as Readonly<Record<string, unknown>>;
  return readTraceContext(traceparent, tracestate);
}

/** Of a later version the four fields of this one are known, and are handed on as this one. */
function readParent(text: string): string | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(text) ?? [];
  if (version === '' || version === 'ff' || traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  if (version === '00') return rest === undefined ? text : undefined;
  return `00-${traceId}-${spanId}-${Number.parseInt(flags, 16) & 1 ? '01' : '00'}`;
}

function readState(text: string): string | undefined {
  if (text.length > LONGEST_READ) return undefined;
  const members = text.split(',').map(withoutSpace);
  const kept = members.filter((member) => member !== '');
  if (kept.length > MOST_STATES || !kept.every(isState)) return undefined;
  while (kept.join(',').length > LONGEST_STATE) kept.pop();
  return kept.length === 0 ? undefined : kept.join(',');
}

/** By hand: a pattern looks at each run of white space once for every character of it. */
function withoutSpace(member: string): string {
  let [from, to] = [0, member.length];
  while (from < to && isSpace(member[from])) from += 1;
  while (to > from && isSpace(member[to - 1])) to -= 1;
  return member.slice(from, to);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function isState(member: string): boolean {
  const equals = member.indexOf('=');
  return equals > 0 && STATE_KEY.test(member.slice(0, equals)) && STATE_VALUE.test(member.slice(equals + 1));
}
