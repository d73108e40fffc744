import { Redis } from 'ioredis';
import { type Address, sentinelOptions } from './connection-options.ts';
import { ignoreLateErrors } from './late-errors.ts';
import type { RedisSettings } from './redis-options.ts';
import { isReply } from './reply-error.ts';

export interface MasterSwitch {
  /** `host:port` of the former master. */
  readonly from: string;
  readonly to: Address;
}

/**
 * Listens to every sentinel for a change of the master. Without it a failover that was asked for goes unnoticed for some
 * ten seconds: so long the former master goes on as if it were still one, and what it accepts is lost.
 */
export class SentinelWatch {
  readonly #clients: readonly Redis[];
  readonly #round: NodeJS.Timeout;

  /** `onSwitch` is told by each sentinel in its own time. */
  constructor(settings: RedisSettings, onSwitch: (change: MasterSwitch) => void) {
    this.#clients = sentinelOptions(settings).map(({ master, ...options }) => {
      const client = new Redis({ ...options, connectionName: `${settings.name}:sentinel` });
      // It comes back by itself; meanwhile there are the other sentinels, and the probe.
      client.on('error', () => {});
      client.on('ready', () => listen(client));
      client.on('message', (_channel: string, text: string) => {
        const [name, formerHost, formerPort, host = '', port] = text.split(' ');
        if (name === master) onSwitch({ from: `${formerHost}:${formerPort}`, to: { host, port: Number(port) } });
      });
      return client;
    });
    // Failovers are rare and firewalls forget connections on which nothing is said.
    this.#round = setInterval(() => {
      for (const client of this.#clients) if (client.status === 'ready') listen(client);
    }, settings.probeMs);
  }

  close(): void {
    clearInterval(this.#round);
    for (const client of this.#clients) {
      ignoreLateErrors(client);
      client.disconnect();
    }
  }
}

/** Subscribes, which may be done again and needs no further right; a connection without an answer is replaced. */
function listen(client: Redis): void {
  client.subscribe(SWITCH).catch((cause) => {
    if (isReply(cause) || client.status !== 'ready') return;
    ignoreLateErrors(client);
    client.disconnect(true);
  });
}

const SWITCH = '+switch-master';
