import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Filter } from '@listen-gateway/protocol';
import { LISTEN_HEADERS, listenBody, type RpcMessage, within } from '@listen-gateway/testkit';

export interface HostOptions {
  readonly endpoint: URL;
  readonly uris: readonly string[];
  readonly token: string | undefined;
  /** Called for each notification, with the index of its URI. */
  onNotification(index: number): void;
}

/** How the stream of a host ended before it should: with the result, as at a drain, or cut. */
export type EarlyEnd = 'completed' | 'cut';

/** Longer than an instance takes for an attach, or a load balancer for a second try. */
const ACKNOWLEDGEMENT_MS = 15_000;

/** One host: a listen on a connection of its own. */
export class Host {
  /** How its stream ended, once it has. */
  ended: EarlyEnd | undefined;
  readonly #request: ClientRequest;

  private constructor(request: ClientRequest) {
    this.#request = request;
  }

  /** Resolves once its listen is acknowledged in full; rejects with what the gateway said instead. */
  static async open(options: HostOptions): Promise<Host> {
    const { endpoint, token, uris } = options;
    const send = endpoint.protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = { ...LISTEN_HEADERS, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
    const request = send(endpoint, { method: 'POST', agent: false, headers });
    request.end(listenBody('load', { resourceSubscriptions: [...uris] }));
    const host = new Host(request);
    try {
      const answered = once(request, 'response') as Promise<[IncomingMessage]>;
      const [response] = await within(ACKNOWLEDGEMENT_MS, 'the answer to a listen', answered);
      request.on('error', () => {});
      if (response.statusCode !== 200) throw new Error(await refusalOf(response));
      await within(ACKNOWLEDGEMENT_MS, 'the acknowledgement of a listen', host.#read(response, options));
    } catch (error) {
      host.close();
      throw error;
    }
    return host;
  }

  close(): void {
    this.#request.on('error', () => {});
    this.#request.destroy();
  }

  /** Resolves with the acknowledgement. */
  #read(response: IncomingMessage, { uris, onNotification }: HostOptions): Promise<void> {
    response.setEncoding('latin1');
    let rest = '';
    let isAcknowledged = false;
    return new Promise((resolve, reject) => {
      const take = (frame: string) => {
        if (frame.includes(UPDATED)) return onNotification(indexOf(frame));
        if (frame.includes('"result":')) this.ended = 'completed';
        if (isAcknowledged || !frame.includes(ACKNOWLEDGED)) return;
        isAcknowledged = true;
        const problem = shortfall(frame, uris.length);
        if (problem === undefined) resolve();
        else reject(new Error(problem));
      };
      response.on('data', (text: string) => {
        const frames = (rest + text).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) take(frame);
      });
      response.on('error', () => {});
      response.on('close', () => {
        this.ended ??= 'cut';
        reject(new Error('a stream ended before its acknowledgement'));
      });
    });
  }
}

const ACKNOWLEDGED = '"notifications/subscriptions/acknowledged"';
const UPDATED = '"notifications/resources/updated"';

/** URIs of the test end in their index. */
function indexOf(frame: string): number {
  return Number(/"uri":"[^"]*?(\d+)"/.exec(frame)?.[1]);
}

async function refusalOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response) text += part;
  return `the gateway answered ${response.statusCode}: ${text.slice(0, 400)}`;
}

/** What the acknowledgement leaves out of what was asked for. */
function shortfall(frame: string, asked: number): string | undefined {
  const message = JSON.parse(frame.slice(frame.indexOf(DATA) + DATA.length)) as RpcMessage;
  const { resourceSubscriptions = [] } = (message.params?.notifications ?? {}) as Filter;
  if (resourceSubscriptions.length === asked) return undefined;
  return (
    `only ${resourceSubscriptions.length} of ${asked} URIs were honored: the server must announce resources.subscribe, ` +
    'and its hosts must be allowed to watch what --uri-prefix names'
  );
}

const DATA = 'data: ';
