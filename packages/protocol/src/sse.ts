import { type Change, NOTIFICATION_METHODS } from './change.ts';
import type { Filter } from './filter.ts';
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from './meta-keys.ts';
import type { RequestId } from './request-id.ts';

/**
 * The SSE frames of a listen stream, as ASCII text: one character is one byte, so lengths need no encoder, and no
 * line splitter can cut a frame at U+2028, U+2029 or U+0085.
 */

/** A comment frame: bytes for intermediaries and idle timers, nothing for the host (streamable-http, Receiving Messages). */
export const KEEPALIVE_FRAME = ':\n\n';

/** Identity of the software that answers, for `_meta["io.modelcontextprotocol/serverInfo"]`. */
export interface ServerInfo {
  readonly name: string;
  /** For people. */
  readonly title?: string | undefined;
  readonly version: string;
}

/** The subscription id as JSON text, ready to stand in a frame. */
export function subscriptionIdJson(id: RequestId): string {
  return asciiJson(id);
}

/** First frame of every stream: what was honored (patterns/subscriptions, Acknowledgment). */
export function acknowledgementFrame(idJson: string, honored: Filter): string {
  const params = `{"_meta":{${tag(idJson)}},"notifications":${asciiJson(honored)}}`;
  return frame(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":${params}}`);
}

/** A change as the notification that tells a host of it. */
export function notificationFrame(idJson: string, change: Change): string {
  return frame(
    `{"jsonrpc":"2.0","method":"${NOTIFICATION_METHODS[change.kind]}","params":{"_meta":{${tag(idJson)}${parent(change)}}${members(change)}}}`,
  );
}

/** The result of the listen request: the last frame of a stream that ends gracefully (patterns/subscriptions, Graceful Closure). */
export function completionFrame(idJson: string, serverInfo: ServerInfo): string {
  const meta = `{${tag(idJson)},"${SERVER_INFO_META_KEY}":${asciiJson(serverInfo)}}`;
  return frame(`{"jsonrpc":"2.0","id":${idJson},"result":{"resultType":"complete","_meta":${meta}}}`);
}

function members(change: Change): string {
  switch (change.kind) {
    case 'resource':
      return `,"uri":${asciiJson(change.uri)}`;
    case 'task':
      return `,${asciiJson(change.task).slice(1, -1)}`;
    default:
      return '';
  }
}

/** The state stays here: it is for those who trace, and hosts are strangers to most of them. */
function parent({ trace }: Change): string {
  return trace === undefined ? '' : `,"traceparent":"${trace.traceparent}"`;
}

function tag(idJson: string): string {
  return `"${SUBSCRIPTION_ID_META_KEY}":${idJson}`;
}

function frame(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
