import { connect, type Socket } from 'node:net';
import { type Filter, SUBSCRIPTION_ID_META_KEY } from '@listen-gateway/protocol';
import { LISTEN_HEADERS, listenBody, type RpcMessage } from '@listen-gateway/testkit';
import { AnswerReader } from './answer-reader.ts';
import { taskSeq } from './drafts.ts';
import { type ChangeKey, type HostRecord, nowMs } from './records.ts';

/** Where an instance takes listens. */
export interface Endpoint {
  readonly name: string;
  readonly port: number;
  /** It is a load balancer, in whose log requests are to be told apart: `?stream=` and their number. */
  readonly numbered?: true;
}

export interface Listening {
  readonly stream: number;
  readonly endpoint: Endpoint;
  readonly server: string;
  readonly id: string | number;
  readonly requested: Filter;
}

/** How an attempt to listen ended. */
export type Outcome =
  | { readonly type: 'ended' }
  | { readonly type: 'refused'; readonly retryAfterS: number | undefined }
  | { readonly type: 'unreachable' };

export interface ListeningEvents {
  record(record: HostRecord): void;
  /** Once, at the end. */
  over(outcome: Outcome): void;
}

/** A host that has no answer by then tries elsewhere; the product promises one within about 2 s. */
const ANSWER_LIMIT_MS = 10_000;

/** One listen request on a bare socket, from the connection to its end. */
export class ListeningHost {
  readonly #listening: Listening;
  readonly #events: ListeningEvents;
  readonly #socket: Socket;
  readonly #impatience: NodeJS.Timeout;
  #phase: 'asking' | 'streaming' | 'over' = 'asking';
  #complete = false;

  constructor(listening: Listening, events: ListeningEvents) {
    this.#listening = listening;
    this.#events = events;
    const { stream, endpoint, server, requested } = listening;
    const id = JSON.stringify(listening.id);
    events.record({ type: 'asked', at: nowMs(), stream, instance: endpoint.name, server, id, requested });
    this.#socket = connect({ host: '127.0.0.1', port: endpoint.port });
    this.#socket.setEncoding('latin1');
    this.#socket.write(requestText(listening));
    const reader = this.#reader();
    this.#socket.on('data', (text: unknown) => reader.take(String(text)));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => this.#closed());
    this.#impatience = setTimeout(() => this.#socket.destroy(), ANSWER_LIMIT_MS);
  }

  get isStreaming(): boolean {
    return this.#phase === 'streaming';
  }

  /** Goes away, by a reset where `abruptly`. */
  leave(abruptly = false): void {
    if (this.#phase === 'streaming') this.#record({ type: 'ended', how: 'left' });
    this.#over({ type: 'ended' });
    if (abruptly) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  stall(): void {
    if (this.#phase !== 'streaming' || this.#socket.isPaused()) return;
    this.#socket.pause();
    this.#record({ type: 'stalled' });
  }

  resume(): void {
    if (this.#phase !== 'streaming' || !this.#socket.isPaused()) return;
    this.#record({ type: 'resumed' });
    this.#socket.resume();
  }

  #reader(): AnswerReader {
    return new AnswerReader({
      head: (status, retryAfterS) => {
        clearTimeout(this.#impatience);
        if (status === 200) {
          this.#phase = 'streaming';
          return;
        }
        this.#record({ type: 'refused', status, retryAfterS });
        this.#over({ type: 'refused', retryAfterS });
        this.#socket.destroy();
      },
      message: (message) => this.#record(factOf(message)),
      complete: () => {
        this.#complete = true;
        this.#socket.end();
      },
      garbled: (text) => this.#record({ type: 'garbled', text }),
    });
  }

  #closed(): void {
    clearTimeout(this.#impatience);
    if (this.#phase === 'asking') this.#record({ type: 'unreachable', why: 'no answer' });
    if (this.#phase === 'streaming') this.#record({ type: 'ended', how: this.#complete ? 'complete' : 'cut' });
    this.#over({ type: this.#phase === 'asking' ? 'unreachable' : 'ended' });
  }

  #over(outcome: Outcome): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    clearTimeout(this.#impatience);
    this.#events.over(outcome);
  }

  #record(fact: WithoutPlace<HostRecord>): void {
    if (this.#phase === 'over') return;
    this.#events.record({ ...fact, at: nowMs(), stream: this.#listening.stream } as HostRecord);
  }
}

/** What a record says beside when and on which stream. */
type WithoutPlace<Kind> = Kind extends unknown ? Omit<Kind, 'at' | 'stream'> : never;

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;

/** What a message of a listen stream says. */
function factOf({ id, method, params, result }: RpcMessage): WithoutPlace<HostRecord> {
  const tag = JSON.stringify((params ?? result)?._meta?.[SUBSCRIPTION_ID_META_KEY]) ?? '';
  if (result !== undefined) return { type: 'completed', tag, id: JSON.stringify(id) ?? '' };
  if (method === ACKNOWLEDGED) return { type: 'acknowledged', tag, honored: (params?.notifications ?? {}) as Filter };
  const key = keyOf(method, params);
  if (key === undefined) return { type: 'garbled', text: JSON.stringify({ method, params }) };
  return { type: 'notified', tag, key, ...(key.startsWith('task:') && { seq: taskSeq(params) }) };
}

function keyOf(method: string | undefined, params: RpcMessage['params']): ChangeKey | undefined {
  if (method === 'notifications/resources/updated') return `uri:${params?.uri}`;
  if (method === 'notifications/tasks') return `task:${params?.taskId}`;
  return LIST_CHANGED.exec(method ?? '')?.[1];
}

function requestText({ stream, endpoint, server, id, requested }: Listening): string {
  const body = listenBody(id, requested);
  const headers = { Host: `127.0.0.1:${endpoint.port}`, ...LISTEN_HEADERS, 'Content-Length': String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const query = endpoint.numbered ? `?stream=${stream}` : '';
  return `POST /mcp/${server}${query} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
