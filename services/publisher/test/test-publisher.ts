import { Writable } from 'node:stream';
import { type Broker, MemoryBroker } from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import { createLog, createMetrics, loadConfig, systemClock } from '@listen-gateway/service-kit';
import { RecordingListener } from '@listen-gateway/testkit';
import { expect } from 'vitest';
import { type Publisher, publisherConfig, startPublisher } from '../src/index.ts';

/** Announces everything; `quiet` announces nothing; the hosts of `members` and `guild` are authenticated. */
const SERVERS = {
  default: {},
  acme: {},
  members: { auth: { issuer: 'https://id.acme.example' } },
  guild: { auth: { issuer: 'https://id.acme.example' } },
  quiet: {
    capabilities: {
      tools: false,
      prompts: false,
      resources: { listChanged: false, subscribe: false },
      tasks: false,
    },
  },
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect, whatever it is.
  readonly json: any;
}

/** A publisher on a free loopback port, over the memory broker unless another is given, with all that it reports. */
export class TestPublisher {
  readonly listener = new RecordingListener();
  readonly logged: Record<string, unknown>[] = [];
  readonly broker: Broker;
  readonly metrics = createMetrics({ service: 'publisher' });
  /** Sent with every request. */
  authorization: string | undefined;
  #publisher: Publisher | undefined;

  constructor(broker: Broker = new MemoryBroker({ clock: systemClock })) {
    this.broker = broker;
  }

  /** `sketch`: more of the section `publisher`, as the YAML file would have it. */
  async start(sketch: object = {}): Promise<this> {
    const file = JSON.stringify({ publisher: { port: 0, ...sketch }, servers: SERVERS });
    const loaded = loadConfig(publisherConfig, { argv: ['--config=x'], env: {}, readFile: () => file });
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    const destination = new Writable({
      write: (line, _encoding, done) => {
        this.logged.push(JSON.parse(String(line)));
        done();
      },
    });
    const log = createLog({ level: 'debug', pretty: false }, { destination });
    this.#publisher = await startPublisher({ config: loaded.config, broker: this.broker, log, metrics: this.metrics });
    return this;
  }

  get publisher(): Publisher {
    if (this.#publisher === undefined) throw new Error('start it first');
    return this.#publisher;
  }

  /** Where changes of a server are POSTed. */
  url(server = 'default'): string {
    return `${this.publisher.url}/v1/servers/${server}/changes`;
  }

  /** Attaches `listener` to a server, as a gateway instance would. */
  async listen(server = 'default'): Promise<void> {
    await this.broker.attach(server as ServerId, this.listener);
  }

  async post(body: unknown, headers: Record<string, string> = {}, server = 'default'): Promise<Answer> {
    return this.request(server, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** Asks to disconnect a principal; `subject` as it stands in the path. */
  async disconnect(subject: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = body === undefined ? null : JSON.stringify(body);
    return this.#fetch(`${this.publisher.url}/v1/principals/${subject}/disconnect`, {
      method: 'POST',
      headers,
      body: text,
    });
  }

  async request(server: string, init: RequestInit): Promise<Answer> {
    return this.#fetch(this.url(server), init);
  }

  async #fetch(url: string, init: RequestInit): Promise<Answer> {
    const headers = {
      'Content-Type': 'application/json',
      ...(this.authorization !== undefined && { Authorization: this.authorization }),
      ...(init.headers as Record<string, string>),
    };
    const response = await fetch(url, { ...init, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) };
  }

  /** The value of one series as `/metrics` prints it. */
  async metric(series: string): Promise<number> {
    const { text } = await this.metrics.expose();
    const line = text.split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? Number.NaN : Number(line.slice(series.length + 1));
  }

  async close(): Promise<void> {
    await this.#publisher?.close();
    await this.broker.close();
  }
}

export const TOOLS = { method: 'notifications/tools/list_changed' };
export const PROMPTS = { method: 'notifications/prompts/list_changed' };
export const RESOURCES = { method: 'notifications/resources/list_changed' };
export const resource = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } });
export const task = (taskId: string, members: object = { status: 'working' }) => ({
  method: 'notifications/tasks',
  params: { taskId, createdAt: '2026-07-28T10:00:00Z', lastUpdatedAt: '2026-07-28T10:00:00Z', ttlMs: null, ...members },
});

/** What a problem should be: RFC 9457, of this reason, pointing at these members. */
export const problem = (status: number, reason: string, ...pointers: string[]) => ({
  status,
  json: {
    type: `urn:listen-gateway:problem:${reason}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    ...(pointers.length > 0 && { errors: pointers.map((pointer) => ({ pointer, detail: expect.any(String) })) }),
  },
});
