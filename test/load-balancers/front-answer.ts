import type { Readable } from 'node:stream';
import { eventually, type RpcMessage } from '@listen-gateway/testkit';

interface Head {
  readonly statusCode?: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An answer as a host reads it off either version of HTTP. */
export class FrontAnswer {
  readonly status: number;
  readonly headers: Head['headers'];
  readonly messages: RpcMessage[] = [];
  /** How many comment lines came. */
  comments = 0;
  /** The answer's text so far. */
  text = '';
  over = false;
  /** Ends the stream as a host does: by closing the connection, or with RST_STREAM. */
  readonly leave: () => void;
  #unparsed = '';

  constructor(body: Readable, head: Head, leave: () => void) {
    this.status = head.statusCode ?? 0;
    this.headers = head.headers;
    this.leave = leave;
    body.setEncoding('utf8');
    body.on('data', (text: string) => this.#take(text));
    body.on('error', () => {});
    body.on('close', () => {
      this.over = true;
    });
  }

  /** Resolves once so many messages have come. */
  async received(count: number, limitMs = 5_000): Promise<readonly RpcMessage[]> {
    await eventually(limitMs, `message ${count}, ${this.messages.length} came`, () => {
      if (this.over && this.messages.length < count) throw new Error(`the answer ended early: ${this.text}`);
      return this.messages.length >= count;
    });
    return this.messages;
  }

  /** Resolves with the whole answer. */
  async whole(limitMs = 10_000): Promise<string> {
    await eventually(limitMs, 'the end of the answer', () => this.over);
    return this.text;
  }

  #take(text: string): void {
    this.text += text;
    const lines = (this.#unparsed + text).split('\n');
    this.#unparsed = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith(':')) this.comments += 1;
      if (line.startsWith('data: ')) this.messages.push(JSON.parse(line.slice('data: '.length)) as RpcMessage);
    }
  }
}
