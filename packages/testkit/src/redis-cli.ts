import { connect, type Socket } from 'node:net';
import { within } from './within.ts';

export type RedisReply = string | number | null | RedisReply[];

/** Sends one command to a Redis over a connection of its own, like the program of that name. Replies are RESP2. */
export async function redisCli(url: string, args: readonly (string | Buffer)[]): Promise<RedisReply> {
  const { hostname, port, username, password } = new URL(url);
  const auth = password ? [['AUTH', ...(username ? [username] : []), decodeURIComponent(password)]] : [];
  const socket = connect({ host: hostname, port: Number(port || 6379) });
  try {
    const replies = within(5_000, `the reply to ${String(args[0])}`, readReplies(socket, auth.length + 1));
    for (const command of [...auth, args]) socket.write(encode(command));
    const reply = (await replies).at(-1);
    if (reply instanceof Error) throw reply;
    return reply ?? null;
  } finally {
    socket.destroy();
  }
}

function encode(args: readonly (string | Buffer)[]): Buffer {
  const parts = args.map((arg) => (typeof arg === 'string' ? Buffer.from(arg) : arg));
  const bulk = parts.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from('\r\n')]);
  return Buffer.concat([Buffer.from(`*${parts.length}\r\n`), ...bulk]);
}

type Parsed = { readonly value: RedisReply | Error; readonly end: number } | undefined;

async function readReplies(socket: Socket, count: number): Promise<(RedisReply | Error)[]> {
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer]);
    const replies = parseAll(received);
    if (replies.length >= count) return replies;
  }
  throw new Error('Redis closed the connection before it replied');
}

function parseAll(bytes: Buffer): (RedisReply | Error)[] {
  const replies: (RedisReply | Error)[] = [];
  for (let parsed = parse(bytes, 0); parsed; parsed = parse(bytes, parsed.end)) replies.push(parsed.value);
  return replies;
}

/** Parses one reply that begins at `start`; undefined while it is incomplete. */
function parse(bytes: Buffer, start: number): Parsed {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd < 0) return undefined;
  const text = bytes.toString('utf8', start + 1, lineEnd);
  const end = lineEnd + 2;
  switch (String.fromCharCode(bytes[start]!)) {
    case '+':
      return { value: text, end };
    case '-':
      return { value: new Error(text), end };
    case ':':
      return { value: Number(text), end };
    case '$':
      return parseBulk(bytes, end, Number(text));
    case '*':
      return parseArray(bytes, end, Number(text));
    default:
      throw new Error(`not a RESP2 reply: ${text}`);
  }
}

function parseBulk(bytes: Buffer, start: number, length: number): Parsed {
  if (length < 0) return { value: null, end: start };
  if (bytes.length < start + length + 2) return undefined;
  return { value: bytes.toString('utf8', start, start + length), end: start + length + 2 };
}

function parseArray(bytes: Buffer, start: number, length: number): Parsed {
  const values: RedisReply[] = [];
  let end = start;
  for (let index = 0; index < length; index += 1) {
    const parsed = parse(bytes, end);
    if (!parsed) return undefined;
    if (parsed.value instanceof Error) return parsed;
    values.push(parsed.value);
    end = parsed.end;
  }
  return { value: values, end };
}
