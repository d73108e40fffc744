import type { Filter } from '@listen-gateway/protocol';
import {
  type ListenAnswer,
  openListen,
  openRedisProcess,
  openTcpRelay,
  openWhole,
  type RedisProcess,
  type RpcMessage,
  type ServiceName,
  type ServiceProcess,
  startService,
  type TcpRelay,
  TestIssuer,
} from '@listen-gateway/testkit';

/** Two servers whose principals, URIs and tasks have the same names. */
export const SERVERS = ['acme', 'umbrella'] as const;

export type ServerName = (typeof SERVERS)[number];

/** Who opens a stream, where, and what for. */
export interface Opening {
  readonly server: ServerName;
  readonly instance: number;
  /** Claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly filter: Filter;
}

export interface OpenStream {
  readonly answer: ListenAnswer;
  /** The filter that the acknowledgement names. */
  readonly honored: Filter;
}

export interface DisconnectAnswer {
  readonly status: number;
  readonly receipts: readonly { readonly server: string; readonly instances: number }[];
}

/** What an operator runs: three instances, a publisher, a Redis, each a real process, and an issuer of tokens. */
export interface AuthenticatedFleet {
  readonly redis: RedisProcess;
  readonly gateways: readonly ServiceProcess[];
  /** The way of each instance to Redis, for a test to cut. */
  readonly relays: readonly TcpRelay[];
  /** Opens a stream; fails where it is refused. */
  open(opening: Opening): Promise<OpenStream>;
  publish(server: ServerName, changes: readonly object[]): Promise<void>;
  disconnect(subject: string, body?: object): Promise<DisconnectAnswer>;
  close(): Promise<void>;
}

/** The audience of a server's tokens. */
const audienceOf = (server: ServerName) => `https://mcp.example/mcp/${server}`;

/** Starts all of it, one after the other: on a busy machine four processes that start at once are late together. */
export async function openAuthenticatedFleet(): Promise<AuthenticatedFleet> {
  return openWhole(startFleet);
}

async function startFleet(keep: (close: () => Promise<unknown>) => void): Promise<Omit<AuthenticatedFleet, 'close'>> {
  const start = async (name: ServiceName, env: Readonly<Record<string, string>>) => {
    const service = await startService(name, env);
    keep(() => service.kill());
    return service;
  };
  const redis = await openRedisProcess();
  keep(() => redis.close());
  const issuer = await TestIssuer.start();
  keep(() => issuer.close());
  const relays = await Promise.all([0, 1, 2].map(() => openTcpRelay(redis.url)));
  for (const relay of relays) keep(() => relay.close());
  const servers = SERVERS.map((server) => {
    const claims = { uris: 'uris', taskIds: 'tasks' };
    const auth = { issuers: [{ issuer: issuer.issuer }], audience: audienceOf(server), claims };
    return [server, { auth, capabilities: { resources: { subResources: true } } }];
  });
  const env = { LG_SERVERS: JSON.stringify(Object.fromEntries(servers)) };
  const publisher = await start('publisher', { ...env, LG_BROKER__URL: redis.url });
  const gateways: ServiceProcess[] = [];
  for (const { url } of relays) {
    gateways.push(await start('gateway', { ...env, LG_BROKER__URL: url, LG_LOG__LEVEL: 'debug' }));
  }
  return {
    redis,
    gateways,
    relays,
    open: async ({ server, instance, claims, filter }) => {
      const token = await issuer.sign({ aud: audienceOf(server), ...claims });
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await openListen(`${gateways[instance]?.url}/mcp/${server}`, { filter, headers });
      const { method, params } = await answer.next('the acknowledgement');
      if (method !== 'notifications/subscriptions/acknowledged') throw new Error(`refused: ${answer.text}`);
      return { answer, honored: params?.notifications as Filter };
    },
    publish: async (server, changes) => {
      const { status, text } = await post(`${publisher.url}/v1/servers/${server}/changes`, { changes });
      if (status !== 202) throw new Error(`the publisher answered ${status}: ${text}`);
    },
    disconnect: async (subject, body) => {
      const url = `${publisher.url}/v1/principals/${encodeURIComponent(subject)}/disconnect`;
      const { status, text } = await post(url, body);
      return { status, ...(JSON.parse(text) as Pick<DisconnectAnswer, 'receipts'>) };
    },
  };
}

/** What a notification is about, in one text: its URI, its task with the state, or its method. */
export function subjectOf({ method, params }: RpcMessage): string {
  return String(params?.uri ?? params?.statusMessage ?? method);
}

async function post(url: string, body: object | undefined) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}
