import { type RequestId, RPC_CODES, type RpcRefusal } from '@listen-gateway/protocol';
import { parseAccept } from 'hono/utils/accept';

/** The two types that a POST may be answered with (streamable-http, Sending Messages). */
const ANSWERS = ['application/json', 'text/event-stream'] as const;

/** How hosts spell it, the official ones among them. */
const USUAL = ANSWERS.join(', ');

/**
 * Whether an `Accept` header admits both answers. Wildcards count, `q=0` excludes, the most specific range decides
 * (RFC 9110, 12.5.1); an absent header admits everything.
 */
export function acceptsAnswers(header: string | undefined): boolean {
  if (header === undefined || header === USUAL) return true;
  const ranges = parseAccept(header);
  return ANSWERS.every((type) => qualityOf(type, ranges) > 0);
}

/** How a request is refused whose `Accept` does not admit both answers (P-2.8). */
export function notAcceptable(id: RequestId): RpcRefusal {
  const message = 'Accept must admit both application/json and text/event-stream';
  return { status: 406, id, error: { code: RPC_CODES.invalidRequest, message } };
}

function qualityOf(type: string, ranges: ReturnType<typeof parseAccept>): number {
  const major = type.slice(0, type.indexOf('/'));
  for (const candidate of [type, `${major}/*`, '*/*']) {
    const range = ranges.find((one) => one.type.toLowerCase() === candidate);
    if (range !== undefined) return range.q;
  }
  return 0;
}
