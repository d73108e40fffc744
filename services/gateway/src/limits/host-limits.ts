import type { RateLimit, SharedLimits, SinkEvents } from '@listen-gateway/core';
import { isLoopback } from '@listen-gateway/service-kit';
import type { Holder } from './holder.ts';
import type { LimitsConfig } from './limits-config.ts';

/** A stream's place among those that its holder may have. */
export interface Place {
  /** Gives it back; calling it again does nothing. */
  release(): void;
  /** Gives it back once the sink is gone. */
  untilGone(events: SinkEvents): SinkEvents;
}

/** Over which opens are counted: hosts that all come back after a drain or a break are well within it. */
const WINDOW_S = 10;
const STREAMS_PER_ADDRESS = 1_000;
const OPENS_PER_SECOND_PER_ADDRESS = 100;

/** What each principal may have open, and how often it may open; and each address where nobody is asked who they are. */
export class HostLimits {
  readonly #shared: SharedLimits;
  readonly #streams: Readonly<Record<Holder['kind'], number | undefined>>;
  readonly #opens: Readonly<Record<Holder['kind'], RateLimit | undefined>>;

  /** `host`: what the gateway is bound to. On loopback every host has the same address, so it is limited on request only. */
  constructor(limits: LimitsConfig, shared: SharedLimits, host: string) {
    const usual = (limit: number) => (isLoopback(host) ? undefined : limit);
    const opens = (name: string, perSecond: number | undefined) =>
      perSecond === undefined ? undefined : shared.rate(name, { points: perSecond * WINDOW_S, seconds: WINDOW_S });
    const opensPerAddress = limits.opensPerSecondPerAddress ?? usual(OPENS_PER_SECOND_PER_ADDRESS);
    this.#shared = shared;
    this.#streams = {
      principal: limits.streamsPerPrincipal,
      address: limits.streamsPerAddress ?? usual(STREAMS_PER_ADDRESS),
    };
    this.#opens = {
      principal: opens('opens-principal', limits.opensPerSecondPerPrincipal),
      address: opens('opens-address', opensPerAddress),
    };
  }

  /** How long the holder has to wait before it may listen again, in milliseconds; 0 where it may now. */
  async pause({ kind, name }: Holder): Promise<number> {
    return (await this.#opens[kind]?.take(name)) ?? 0;
  }

  /** Takes a place for one more stream; undefined where the holder has as many as it may. */
  async take({ kind, name }: Holder): Promise<Place | undefined> {
    const limit = this.#streams[kind];
    if (limit === undefined) return UNCOUNTED;
    const { shares } = this.#shared;
    return (await shares.claim(`${kind} ${name}`, limit))
      ? new Counted(() => shares.release(`${kind} ${name}`))
      : undefined;
  }
}

class Counted implements Place {
  #release: (() => void) | undefined;

  constructor(release: () => void) {
    this.#release = release;
  }

  release(): void {
    this.#release?.();
    this.#release = undefined;
  }

  untilGone(events: SinkEvents): SinkEvents {
    return {
      drained: () => events.drained(),
      gone: () => {
        this.release();
        events.gone();
      },
    };
  }
}

const UNCOUNTED: Place = { release: () => {}, untilGone: (events) => events };
