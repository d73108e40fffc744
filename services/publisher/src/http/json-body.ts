import type { Refusal } from '../problem.ts';

/** The most bytes that one request may carry. */
export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Deeper JSON is no change that anybody means, and what walks values by recursion, here and at every receiver, would
 * run out of stack on it.
 */
const MAX_DEPTH = 100;

export type ReadJson =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly refusal: Refusal };

/** Whether the headers promise JSON as it is; undefined where they do. */
export function mediaRefusal(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): Refusal | undefined {
  const reason = 'unsupported-media-type';
  const essence = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (essence !== 'application/json') return { reason, detail: 'send the changes with Content-Type: application/json' };
  const coding = contentEncoding?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') return { reason, detail: 'send the changes without Content-Encoding' };
  return undefined;
}

/** Reads a body that is JSON in UTF-8; a byte order mark is passed over (RFC 8259, section 8.1). */
export function readJson(bytes: Uint8Array): ReadJson {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return malformed('the body must be UTF-8; it holds bytes that are not, or ends within a character');
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return malformed(text.trim() === '' ? 'the body must not be empty' : 'the body must be JSON, and is not');
  }
  if (isDeeperThan(MAX_DEPTH, json)) return malformed(`the body must not be nested deeper than ${MAX_DEPTH} levels`);
  return { ok: true, json };
}

function malformed(detail: string): ReadJson {
  return { ok: false, refusal: { reason: 'malformed-body', detail } };
}

/** Level by level instead of by recursion, which is what it protects. */
function isDeeperThan(depth: number, json: unknown): boolean {
  let level = [json].filter(isContainer);
  for (let seen = 0; level.length > 0; seen += 1) {
    if (seen === depth) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
