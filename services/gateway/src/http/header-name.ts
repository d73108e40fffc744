/** A header's name, apart from how a host spells it. */
export interface HeaderName {
  readonly lower: string;
  /** What servers that speak CGI take it for: they cannot tell underscores from hyphens. */
  readonly meant: string;
}

/** Names remembered, and characters of one: hosts send the same few all the time, and may send others. */
const MOST = 1_000;
const LONGEST = 64;

const known = new Map<string, HeaderName>();

/** Reads a header's name. Each of a request is asked for several times, and one look-up is cheaper than to spell it anew. */
export function headerName(raw: string): HeaderName {
  const read = known.get(raw);
  if (read !== undefined) return read;
  const lower = raw.toLowerCase();
  const name = { lower, meant: lower.replaceAll('_', '-') };
  if (raw.length > LONGEST) return name;
  if (known.size >= MOST) known.clear();
  known.set(raw, name);
  return name;
}
