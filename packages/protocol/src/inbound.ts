import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { KnownEnvelopes } from './known-envelopes.ts';
import { LISTEN_METHOD } from './listen-request.ts';
import { PROTOCOL_VERSION } from './meta-keys.ts';
import { isRequestId, type RequestId } from './request-id.ts';
import { RPC_CODES, type RpcRefusal } from './rpc-error.ts';

/** One POST to the MCP endpoint: its body as parsed JSON, and the headers that mirror it. */
export interface InboundPost {
  readonly body: unknown;
  readonly protocolVersionHeader: string | undefined;
  readonly methodHeader: string | undefined;
  /** `Mcp-Name`, base64 sentinel already decoded; `invalid` where it cannot be. */
  readonly nameHeader: string | undefined | { readonly invalid: string };
}

export type Inbound =
  | {
      readonly kind: 'request';
      readonly id: RequestId;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'notification'; readonly method: string }
  | LegacyInbound
  /** `silent`: what is refused is a notification, and no JSON-RPC message may answer it (SUB-18). */
  | { readonly kind: 'refused'; readonly refusal: RpcRefusal; readonly silent?: true };

/** A message of a revision before this one, for an upstream that speaks it too. */
export interface LegacyInbound {
  readonly kind: 'legacy';
  /** Of a request; a response has that of another message, which no error of ours may answer. */
  readonly id: RequestId | undefined;
  /** What answers it where only this revision is spoken; absent for a notification, which is accepted and dropped. */
  readonly refusal: RpcRefusal | undefined;
}

/**
 * Decides what a POST is, or why it is refused.
 * Spec: basic/transports/streamable-http, Sending Messages and Server Validation; basic/index for shapes.
 */
export function readInbound(post: InboundPost): Inbound {
  const shape = readShape(post.body);
  if (shape.kind === 'refused') return shape;
  if (shape.kind === 'legacy') return readResponse(shape, post);
  try {
    return classify(shape, post);
  } catch (cause) {
    // What is checked is walked by recursion, and how deep it is, is the sender's choice.
    if (!(cause instanceof RangeError)) throw cause;
    const error = { code: RPC_CODES.invalidParams, message: '"params._meta" is nested too deeply' };
    return shape.kind === 'request'
      ? refused({ status: 400, id: shape.id, error })
      : { kind: 'refused', refusal: { status: 400, error }, silent: true };
  }
}

type Shape = Inbound & { readonly kind: 'request' | 'notification' };

function classify(shape: Shape, post: InboundPost): Inbound {
  if (shape.kind === 'request' && isKnown(shape, post)) return checkHeaders(shape, post);

  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: post.body,
    ...(post.protocolVersionHeader !== undefined && { protocolVersionHeader: post.protocolVersionHeader }),
    ...(post.methodHeader !== undefined && { mcpMethodHeader: post.methodHeader }),
  });
  const id = shape.kind === 'request' ? shape.id : undefined;
  if (outcome.kind === 'reject') {
    const { httpStatus: status, code, message, data } = outcome;
    const refusal = { status, id, error: { code, message, ...(data !== undefined && { data }) } };
    return shape.kind === 'notification' ? { kind: 'refused', refusal, silent: true } : refused(refusal);
  }
  if (outcome.kind === 'legacy') return legacy(shape, outcome.requestedVersion);
  if (shape.kind === 'notification') return shape;
  if (outcome.classification.revision !== PROTOCOL_VERSION) {
    return refused(unsupportedVersion(shape.id, outcome.classification.revision));
  }
  // The classifier passes no request of this revision without it.
  known.add(shape.params._meta as Params);
  return checkHeaders(shape, post);
}

type RequestShape = Inbound & { readonly kind: 'request' };

/** Kept for the process, not for a server or host: what is valid is so for all. */
const known = new KnownEnvelopes();

/** Whether the classifier has passed this request already, but for what it does not look at. */
function isKnown(
  { method, params }: RequestShape,
  { body, protocolVersionHeader, methodHeader }: InboundPost,
): boolean {
  if (protocolVersionHeader !== PROTOCOL_VERSION || methodHeader !== method) return false;
  return Object.keys(body as object).length === 4 && isObject(params._meta) && known.has(params._meta);
}

/** What the classifier leaves to the endpoint: headers that must be there, and the name. */
function checkHeaders(shape: RequestShape, post: InboundPost): Inbound {
  const message = missingHeader(post, shape.method) ?? wrongName(post, shape.method, shape.params);
  if (message === undefined) return shape;
  return refused({ status: 400, id: shape.id, error: { code: RPC_CODES.headerMismatch, message } });
}

/** Reads the JSON-RPC shape alone, so that each wrong member is named rather than "not a valid message". */
function readShape(body: unknown): Inbound {
  if (Array.isArray(body)) return invalid('Batches are not supported: POST one JSON-RPC message at a time');
  if (!isObject(body)) return invalid('The body must be one JSON-RPC request or notification object');
  if ('id' in body && !isRequestId(body.id)) return invalid('"id" must be a string or an integer within ±(2^53−1)');
  const id = body.id as RequestId | undefined;
  if (body.jsonrpc !== '2.0') return invalid('"jsonrpc" must be "2.0"', id);
  const { method, params } = body;
  if (method === undefined && ('result' in body || 'error' in body)) {
    const error = { code: RPC_CODES.invalidRequest, message: 'Responses cannot be POSTed to this endpoint' };
    return { kind: 'legacy', id: undefined, refusal: { status: 400, id, error } };
  }
  if (typeof method !== 'string') return invalid('"method" must be a string', id);
  return readParams(params, id) ?? readMessage(method, params as Params | undefined, id);
}

type Params = Readonly<Record<string, unknown>>;

function readParams(params: unknown, id: RequestId | undefined): Inbound | undefined {
  if (params === undefined) return undefined;
  if (!isObject(params)) return invalid('"params" must be an object', id, RPC_CODES.invalidParams);
  if (params._meta === undefined || isObject(params._meta)) return undefined;
  return invalid('"params._meta" must be an object', id, RPC_CODES.invalidParams);
}

function readMessage(method: string, params: Params = {}, id: RequestId | undefined): Inbound {
  if (id !== undefined) return { kind: 'request', id, method, params };
  // Accepted as a notification it would be a host that waits for a stream for ever (SUB-12).
  if (method === LISTEN_METHOD) return invalid(`"id" is required: ${LISTEN_METHOD} is a request`);
  return { kind: 'notification', method };
}

function invalid(message: string, id?: RequestId, code: number = RPC_CODES.invalidRequest): Inbound {
  return refused({ status: 400, id, error: { code, message } });
}

/** A posted response answers a request of the server's, which only earlier revisions know. */
function readResponse(response: LegacyInbound, { protocolVersionHeader }: InboundPost): Inbound {
  const { refusal } = response;
  return protocolVersionHeader === PROTOCOL_VERSION && refusal !== undefined ? refused(refusal) : response;
}

function legacy(shape: Shape, requested: string | undefined): Inbound {
  if (shape.kind === 'notification') return { kind: 'legacy', id: undefined, refusal: undefined };
  const refusal = unsupportedVersion(shape.id, requested);
  // Only this revision has listen streams, and every one of them ends here, whatever else its request looks like.
  if (shape.method === LISTEN_METHOD) return refused(refusal);
  return { kind: 'legacy', id: shape.id, refusal };
}

function unsupportedVersion(id: RequestId, requested: string | undefined): RpcRefusal {
  const named = requested === undefined ? 'no protocol version was named' : `"${requested}" is not supported`;
  return {
    status: 400,
    id,
    error: {
      code: RPC_CODES.unsupportedVersion,
      message: `Unsupported protocol version: ${named}; this endpoint speaks ${PROTOCOL_VERSION}`,
      data: { supported: [PROTOCOL_VERSION], ...(requested !== undefined && { requested }) },
    },
  };
}

/** The classifier compares headers that are there; that they must be there is checked here (P-2.4). */
function missingHeader(post: InboundPost, method: string): string | undefined {
  if (post.protocolVersionHeader === undefined) {
    return `Header mismatch: the MCP-Protocol-Version header is required; send "${PROTOCOL_VERSION}"`;
  }
  if (post.methodHeader === undefined) return `Header mismatch: the Mcp-Method header is required; send "${method}"`;
  return undefined;
}

/** Which member `Mcp-Name` mirrors, for the methods that need it. */
const NAME_SOURCES = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

function wrongName(post: InboundPost, method: string, params: Readonly<Record<string, unknown>>): string | undefined {
  const member = NAME_SOURCES.get(method);
  if (member === undefined) return undefined;
  const expected = params[member];
  if (typeof expected !== 'string') return undefined;
  const header = post.nameHeader;
  if (header === undefined) return `Header mismatch: the Mcp-Name header is required for ${method}`;
  if (typeof header !== 'string')
    return `Header mismatch: Mcp-Name "${header.invalid}" is not valid base64 in its sentinel`;
  if (header !== expected)
    return `Header mismatch: Mcp-Name "${header}" is not the body's params.${member} "${expected}"`;
  return undefined;
}

function refused(refusal: RpcRefusal): Inbound {
  return { kind: 'refused', refusal };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
