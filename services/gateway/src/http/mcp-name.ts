const PREFIX = '=?base64?';
const SUFFIX = '?=';

/**
 * The value that an `Mcp-Name` header stands for: plain, or base64 of UTF-8 between sentinels
 * (streamable-http, Value Encoding).
 */
export function decodeName(header: string | undefined): string | undefined | { readonly invalid: string } {
  if (header === undefined || !header.startsWith(PREFIX) || !header.endsWith(SUFFIX)) return header;
  const base64 = header.slice(PREFIX.length, -SUFFIX.length);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return { invalid: header };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return { invalid: header };
  }
}
