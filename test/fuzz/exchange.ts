import { once } from 'node:events';
import { connect } from 'node:net';
import { within } from '@listen-gateway/testkit';
import type { RawRequest } from './raw-request.ts';

/** Whoever waits longer than this for an answer, or for the end, has found a hang. */
const DEADLINE_MS = 10_000;
/** After so long without an answer the other side is told that no more will come. */
const PATIENCE_MS = 60;

/** Sends the bytes and resolves with the head of the answer, or with nothing where the connection was just ended. */
export async function exchange(port: number, { pieces, whole }: RawRequest, deadlineMs = DEADLINE_MS): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  let text = '';
  let answered = () => {};
  const answer = new Promise<void>((resolve) => {
    answered = resolve;
  });
  socket.on('data', (part) => {
    text += part.toString('latin1');
    if (text.includes('\r\n\r\n')) answered();
  });
  for (const event of ['end', 'close', 'error']) socket.on(event, answered);
  try {
    await within(deadlineMs, 'a connection', once(socket, 'connect'));
    for (const piece of pieces) {
      socket.write(piece);
      if (pieces.length > 1) await new Promise(setImmediate);
    }
    const patience = whole ? undefined : setTimeout(() => socket.end(), PATIENCE_MS);
    await within(deadlineMs, 'an answer, or the end of the connection', answer);
    clearTimeout(patience);
    if (whole && text === '') throw new Error('the connection ended without an answer');
    return text;
  } finally {
    socket.destroy();
  }
}

/** Fails where an answer is none that is documented: 5xx is for faults, but for a 503 that says when to try again. */
export function judge(head: string): void {
  if (head === '') return;
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  const isRefusal = status === 503 && /\r\nretry-after: \d+\r\n/i.test(head);
  if (!((status >= 200 && status < 500) || isRefusal))
    throw new Error(`an undocumented answer: ${JSON.stringify(head)}`);
}
