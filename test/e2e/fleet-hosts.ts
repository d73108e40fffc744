import { eventually, type ListenAnswer, type ListenOptions, openListen } from '@listen-gateway/testkit';
import { expect } from 'vitest';
import type { Fleet } from './fleet.ts';
import { OfficialHost } from './official-host.ts';

/** The load balancer chooses: so many listens at most until each instance has one. */
const TRIES = 40;

/** The hosts of a test, in front of a fleet. */
export class FleetHosts {
  readonly fleet: Fleet;
  readonly #official: OfficialHost[] = [];
  readonly #streams: ListenAnswer[] = [];

  constructor(fleet: Fleet) {
    this.fleet = fleet;
  }

  /** A host with the official client. */
  async connect(options?: Parameters<typeof OfficialHost.connect>[1]): Promise<OfficialHost> {
    const host = await OfficialHost.connect(this.fleet.url, options);
    this.#official.push(host);
    return host;
  }

  /** One that is nothing but its stream, which is acknowledged; their ids are 0, 1, … */
  async listen(options: ListenOptions = {}): Promise<ListenAnswer> {
    const stream = await openListen(this.fleet.url, { id: this.#streams.length, ...options });
    this.#streams.push(stream);
    expect((await stream.next('the acknowledgement')).method).toBe('notifications/subscriptions/acknowledged');
    return stream;
  }

  /** Listens until each instance holds so many streams. */
  async onEach<T>(count: number, listen: () => Promise<T>): Promise<T[]> {
    const opened: T[] = [];
    while ((await this.held()).some((streams) => streams < count)) {
      expect(opened.length, 'the load balancer leaves no instance out').toBeLessThan(TRIES);
      opened.push(await listen());
    }
    return opened;
  }

  /** The streams of each instance. */
  held(): Promise<number[]> {
    return Promise.all(this.fleet.instances.map((instance) => instance.streams()));
  }

  /** Resolves once the instances have heard that all of them left. */
  async leave(): Promise<void> {
    for (const stream of this.#streams.splice(0)) stream.close();
    for (const host of this.#official.splice(0)) await host.client.close();
    await eventually(10_000, 'no open stream', async () => (await this.held()).every((streams) => streams === 0));
  }
}
