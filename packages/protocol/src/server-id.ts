declare const serverIdBrand: unique symbol;

/** Names the logical MCP server that hosts connect to and backends publish for; safe in a URL path and a Redis hash tag. */
export type ServerId = string & { readonly [serverIdBrand]: true };

/** What a `ServerId` looks like: 1–64 of letters, digits, `.`, `_`, `-`, beginning with a letter or digit. */
export const SERVER_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Narrows a string to a `ServerId`. */
export function isServerId(value: string): value is ServerId {
  return SERVER_ID_PATTERN.test(value);
}

/** The server that `POST /mcp` means when the path names none. */
export const DEFAULT_SERVER_ID = 'default' as ServerId;
