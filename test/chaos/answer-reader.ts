import { parseFrames, type RpcMessage } from '@listen-gateway/testkit';

export interface AnswerEvents {
  head(status: number, retryAfterS: number | undefined): void;
  message(message: RpcMessage): void;
  /** The last chunk came: the answer is whole. */
  complete(): void;
  garbled(text: string): void;
}

/** Reads an HTTP/1.1 answer as it arrives: its head, and if that promises a stream, the frames in its chunks. */
export class AnswerReader {
  readonly #events: AnswerEvents;
  #state: 'head' | 'chunks' | 'over' = 'head';
  /** What arrived and is not understood yet. */
  #rest = '';
  /** Out of the chunks, and no whole frame yet. */
  #frames = '';

  constructor(events: AnswerEvents) {
    this.#events = events;
  }

  take(text: string): void {
    this.#rest += text;
    if (this.#state === 'head') this.#takeHead();
    while (this.#state === 'chunks' && this.#takeChunk());
  }

  #takeHead(): void {
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 4);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
    const retryAfter = /^retry-after: *(\d+)/im.exec(head)?.[1];
    const isStream = status === 200 && /^transfer-encoding: *chunked/im.test(head);
    this.#state = isStream ? 'chunks' : 'over';
    if (status === 200 && !isStream) this.#events.garbled(head);
    this.#events.head(status, retryAfter === undefined ? undefined : Number(retryAfter));
  }

  #takeChunk(): boolean {
    const sizeEnd = this.#rest.indexOf('\r\n');
    if (sizeEnd < 0) return false;
    const size = Number.parseInt(this.#rest.slice(0, sizeEnd), 16);
    if (Number.isNaN(size)) return this.#giveUp(this.#rest);
    const start = sizeEnd + 2;
    if (this.#rest.length < start + size + 2) return false;
    const chunk = this.#rest.slice(start, start + size);
    this.#rest = this.#rest.slice(start + size + 2);
    if (size > 0) return this.#takeFrames(chunk);
    this.#state = 'over';
    if (this.#frames !== '' || this.#rest !== '') this.#events.garbled(this.#frames + this.#rest);
    this.#events.complete();
    return false;
  }

  #takeFrames(chunk: string): boolean {
    this.#frames += chunk;
    const end = this.#frames.lastIndexOf('\n\n');
    if (end < 0) return true;
    const whole = this.#frames.slice(0, end + 2);
    this.#frames = this.#frames.slice(end + 2);
    try {
      for (const { data } of parseFrames(whole)) {
        if (data !== undefined) this.#events.message(JSON.parse(data) as RpcMessage);
      }
    } catch (cause) {
      return this.#giveUp(`${cause}: ${whole}`);
    }
    return true;
  }

  #giveUp(text: string): false {
    this.#state = 'over';
    this.#events.garbled(text.slice(0, 500));
    return false;
  }
}
