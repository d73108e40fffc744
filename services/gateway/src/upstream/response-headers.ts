/** What a response says of the upstream's connection only (RFC 9110, 7.6.1); all else is the host's, compressed bodies too. */
const NOT_FORWARDED = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers of the response to the host, names and values in turn, spelled as the upstream spelled them. */
export function responseHeaders(raw: readonly (string | Buffer)[]): string[] {
  const headers = raw.map((part) => part.toString('latin1' as never));
  const named = new Set<string>();
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() !== 'connection') continue;
    for (const name of (headers[at + 1] ?? '').toLowerCase().split(/\s*,\s*/)) named.add(name);
  }
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    const lower = name.toLowerCase();
    if (!NOT_FORWARDED.has(lower) && !named.has(lower)) kept.push(name, headers[at + 1] as string);
  }
  return kept;
}

/** The same for a page: which pages may read an answer is for the gateway to say, which they asked. */
export function pageHeaders(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    const lower = name.toLowerCase();
    if (lower.startsWith('access-control-')) continue;
    kept.push(name, headers[at + 1] as string);
    if (lower === 'vary') kept.push(name, 'Origin');
  }
  return kept;
}
