import {
  type Broker,
  type ListenOutcome,
  MemoryBroker,
  type Principal,
  Streams,
  type StreamsOptions,
} from '@listen-gateway/core';
import type { ChangeCapabilities, Filter, Published, RequestId, ServerId } from '@listen-gateway/protocol';
import { HeldBroker } from './held-broker.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordingObserver } from './recording-observer.ts';
import { RecordingSink } from './recording-sink.ts';
import { within } from './within.ts';

/** Capabilities of a server that announces everything, sub-resources aside. */
export const ALL_CAPABILITIES: ChangeCapabilities = {
  tools: true,
  prompts: true,
  resources: { listChanged: true, subscribe: true, subResources: false },
  tasks: true,
};

export interface ListenSketch {
  readonly id?: RequestId;
  readonly filter?: Filter;
  readonly serverId?: ServerId;
  readonly subject?: string;
  /** The rest of the principal. */
  readonly principal?: Omit<Principal, 'subject'>;
  readonly capabilities?: ChangeCapabilities;
}

/** A listen that was asked for: its host's side, and what became of it. */
export interface Asked {
  readonly sink: RecordingSink | undefined;
  readonly outcome: Promise<ListenOutcome>;
}

/** The streams of one instance, with time, the broker and the hosts in the test's hand. No sockets. */
export class TestInstance {
  readonly clock: ManualClock;
  readonly observer = new RecordingObserver();
  readonly broker: HeldBroker;
  readonly streams: Streams;

  constructor(options: Partial<StreamsOptions> & { readonly clock?: ManualClock; readonly broker?: Broker } = {}) {
    this.clock = options.clock ?? new ManualClock(1_000);
    this.broker = new HeldBroker(options.broker ?? new MemoryBroker({ clock: this.clock }));
    this.streams = new Streams({
      limits: { streamsPerInstance: 1_000, streamsPerPrincipal: 1_000 },
      keepaliveMs: 15_000,
      stallMs: 30_000,
      observer: this.observer,
      ...options,
      clock: this.clock,
      broker: this.broker,
    });
  }

  /** Asks for a stream; the default listens for the list of tools. */
  ask(sketch: ListenSketch = {}): Asked {
    let sink: RecordingSink | undefined;
    const outcome = this.streams.listen(
      {
        serverId: sketch.serverId ?? TEST_SERVER,
        server: { serverInfo: TEST_SERVER_INFO, capabilities: sketch.capabilities ?? ALL_CAPABILITIES },
        subscriptionId: sketch.id ?? 'listen:0',
        requested: sketch.filter ?? { toolsListChanged: true },
        ...(sketch.subject !== undefined && { principal: { ...sketch.principal, subject: sketch.subject } }),
      },
      (events) => {
        sink = new RecordingSink(events);
        return sink;
      },
    );
    return { sink, outcome };
  }

  /** Opens a stream, and fails where it is refused. */
  async open(sketch: ListenSketch = {}): Promise<RecordingSink> {
    const { sink, outcome } = this.ask(sketch);
    const came = await within(1_000, 'the outcome of a listen', outcome);
    if (came !== 'opened' || sink === undefined) throw new Error(`the listen came to ${came}`);
    return sink;
  }

  /** Publishes changes, and lets the pass that writes them run to its end. */
  async publish(changes: Published | readonly Published[], serverId: ServerId = TEST_SERVER): Promise<void> {
    await this.broker.publish(serverId, [changes].flat());
    this.clock.advance(0);
  }
}

export const TEST_SERVER = 'default' as ServerId;
export const TEST_SERVER_INFO = { name: 'acme-ops', version: '1.2.3' } as const;
