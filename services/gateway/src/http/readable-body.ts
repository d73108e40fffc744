import type { IncomingHttpHeaders } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';

/**
 * Says why a body is not read, if it is not: its bytes must mean here what they mean to whoever else reads them, which
 * is JSON in UTF-8 and nothing around it (RFC 8259, 8.1).
 */
export function unreadableBody(headers: IncomingHttpHeaders): string | undefined {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = headers;
  if (!isJsonContentType(type)) return 'Content-Type must be application/json';
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type) ?? [];
  if (!/^(?:utf-?8|us-ascii)$/i.test(charset)) return 'The charset of Content-Type must be utf-8';
  return coding.toLowerCase() === 'identity' ? undefined : 'Content-Encoding must be left out';
}
