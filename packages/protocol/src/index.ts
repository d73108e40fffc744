export type { ChangeCapabilities, ResourceCapabilities } from './capabilities.ts';
export {
  type Audience,
  type Change,
  type ChangeKind,
  type Disconnect,
  type ListChange,
  type ListKind,
  NOTIFICATION_METHODS,
  type Published,
  type ResourceChange,
  type Task,
  type TaskChange,
  type TaskStatus,
} from './change.ts';
export {
  changeJson,
  type ParsedChange,
  type ParsedPublished,
  type Problem,
  parseChange,
  parsePublished,
  problemsOf,
  publishedJson,
} from './change-json.ts';
export { type Announcement, DISCOVER_METHOD, discoverResult } from './discover.ts';
export { duplicateMember } from './duplicate-member.ts';
export { type Filter, FilterSchema } from './filter.ts';
export { type Inbound, type InboundPost, type LegacyInbound, readInbound } from './inbound.ts';
export { type FilterLimits, LISTEN_METHOD, type ReadListen, readListen } from './listen-request.ts';
export {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
  TASKS_EXTENSION_KEY,
} from './meta-keys.ts';
export { isRequestId, type RequestId } from './request-id.ts';
export { RPC_CODES, type RpcError, type RpcRefusal, refusalBody } from './rpc-error.ts';
export { DEFAULT_SERVER_ID, isServerId, SERVER_ID_PATTERN, type ServerId } from './server-id.ts';
export {
  acknowledgementFrame,
  completionFrame,
  KEEPALIVE_FRAME,
  notificationFrame,
  type ServerInfo,
  subscriptionIdJson,
} from './sse.ts';
export { readTraceContext, type TraceContext, traceContextIn } from './trace-context.ts';
