import type { IncomingMessage } from 'node:http';

/** The body was larger than allowed; the rest of it was not read. */
export const TOO_LARGE = Symbol('too large');

/** The client left while it was sending. */
export const BROKEN_OFF = Symbol('broken off');

/**
 * Reads a request's body, or as much as shows that it is too large.
 *
 * Not Hono's body limit: it makes a web `Request` of the adaptor's, which fails for chunked bodies where the global
 * objects are left alone, and costs a listen stream twice its memory where they are not.
 */
export async function readBody(
  incoming: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | typeof TOO_LARGE | typeof BROKEN_OFF> {
  if (Number(incoming.headers['content-length']) > limitBytes) return TOO_LARGE;
  // Its 'close' may have been before anybody listened.
  if (incoming.destroyed) return BROKEN_OFF;
  const parts: Buffer[] = [];
  let bytes = 0;
  // The listeners are removed at the end, and what a `for await` would do, destroying the request, ends the response too.
  return new Promise((resolve) => {
    const settle = (read: Buffer | typeof TOO_LARGE | typeof BROKEN_OFF) => {
      incoming.off('data', take).off('end', finish).off('close', abort).off('error', abort);
      resolve(read);
    };
    const take = (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes > limitBytes) settle(TOO_LARGE);
    };
    const finish = () => settle(Buffer.concat(parts, bytes));
    const abort = () => settle(BROKEN_OFF);
    incoming.on('data', take).on('end', finish).on('close', abort).on('error', abort);
  });
}
