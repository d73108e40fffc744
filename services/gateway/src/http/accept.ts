import { parseAccept } from 'hono/utils/accept';

/** The two types that a POST may be answered with (streamable-http, Sending Messages). */
const ANSWERS = ['application/json', 'text/event-stream'] as const;

/**
 * Whether an `Accept` header admits both answers. Wildcards count, `q=0` excludes, the most specific range decides
 * (RFC 9110, 12.5.1); an absent header admits everything.
 */
export function acceptsAnswers(header: string | undefined): boolean {
  if (header === undefined) return true;
  const ranges = parseAccept(header);
  return ANSWERS.every((type) => qualityOf(type, ranges) > 0);
}

function qualityOf(type: string, ranges: ReturnType<typeof parseAccept>): number {
  const major = type.slice(0, type.indexOf('/'));
  for (const candidate of [type, `${major}/*`, '*/*']) {
    const range = ranges.find((one) => one.type.toLowerCase() === candidate);
    if (range !== undefined) return range.q;
  }
  return 0;
}
