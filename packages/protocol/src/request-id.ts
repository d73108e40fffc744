import { RequestIdSchema } from '@modelcontextprotocol/core';

/**
 * A JSON-RPC request id, and so a subscription id: a string or an integer (basic/index; the looser `number` of the
 * schema lets `1.5` pass). Its JSON type and value are kept: `1`, `"1"` and `""` differ, `0` is an id.
 */
export type RequestId = string | number;

/** Whether a JSON value can be a request id. Integers beyond ±2^53 are not: they do not survive a JSON parser. */
export function isRequestId(value: unknown): value is RequestId {
  return RequestIdSchema.safeParse(value).success && (typeof value === 'string' || Number.isSafeInteger(value));
}
