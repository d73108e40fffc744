import { setTimeout as pause } from 'node:timers/promises';
import type { Broker, BrokerListener, PublishOutcome } from '@listen-gateway/core';
import type { Published, ServerId } from '@listen-gateway/protocol';
import { eventually, numbered } from '@listen-gateway/testkit';

type Note = { readonly accepted: number } | { readonly heard: number | 'gap' };

/**
 * Publishes numbered changes one after the other, each until it is accepted and under a key of its own, and keeps one
 * account of what was accepted and what was heard.
 */
export class Hammer implements BrokerListener {
  readonly serverId: ServerId;
  readonly notes: Note[] = [];
  /** Times that a publish was refused, and how long the slowest refusal took. */
  refused = 0;
  slowestRefusalMs = 0;
  readonly #broker: Broker;
  /** Accepted after a gap that was heard while they were asked for: it may have come before them or after. */
  readonly #unclear: number[] = [];
  /** Whether the journal has them, so that the gap spoke of them. */
  readonly #verdicts = new Map<number, boolean>();
  #gaps = 0;
  #last = 0;
  #stopped = false;
  #running: Promise<void> | undefined;

  constructor(broker: Broker, serverId: ServerId) {
    this.#broker = broker;
    this.serverId = serverId;
  }

  change(change: Published): void {
    if (change.kind === 'resource') this.notes.push({ heard: Number(change.uri.slice(numbered(0).uri.length - 1)) });
  }

  gap(): void {
    this.#gaps += 1;
    this.notes.push({ heard: 'gap' });
  }

  get accepted(): number[] {
    return this.notes.flatMap((note) => ('accepted' in note ? [note.accepted] : []));
  }

  get heard(): (number | 'gap')[] {
    return this.notes.flatMap((note) => ('heard' in note ? [note.heard] : []));
  }

  get gaps(): number {
    return this.#gaps;
  }

  /** What was accepted, never heard, and is covered by no later gap. */
  get lost(): number[] {
    const heard = new Set(this.heard);
    const lastGap = this.notes.findLastIndex((note) => 'heard' in note && note.heard === 'gap');
    const isSignalled = (n: number) => this.#verdicts.get(n) ?? heard.has(n);
    return this.notes.flatMap((note, index) =>
      'accepted' in note && index > lastGap && !isSignalled(note.accepted) ? [note.accepted] : [],
    );
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves once so many more changes were accepted and the last of them was heard. */
  async beats(count: number, ms = 20_000): Promise<void> {
    const enough = this.#last + count;
    await eventually(ms, `change ${enough} to be accepted and heard`, () => {
      return this.heard.some((item) => item !== 'gap' && item >= enough);
    });
  }

  /** Resolves once the last change was heard. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    await eventually(10_000, `change ${this.#last} to be heard`, () => this.heard.includes(this.#last));
    const heard = new Set(this.heard);
    for (const n of this.#unclear) {
      // The key is kept in one step with the journal's entry: what is there is no new change when it is asked for again.
      if (!heard.has(n)) this.#verdicts.set(n, (await this.#accept(n)).kind === 'replayed');
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#last += 1;
      await this.#publish(this.#last);
      await pause(1);
    }
  }

  async #publish(n: number): Promise<void> {
    const gapsBefore = this.#gaps;
    await this.#accept(n);
    if (this.#gaps > gapsBefore) this.#unclear.push(n);
    this.notes.push({ accepted: n });
  }

  async #accept(n: number): Promise<PublishOutcome> {
    for (;;) {
      const startedAt = performance.now();
      try {
        return await this.#broker.publish(this.serverId, [numbered(n)], { key: String(n), fingerprint: String(n) });
      } catch {
        this.refused += 1;
        this.slowestRefusalMs = Math.max(this.slowestRefusalMs, performance.now() - startedAt);
        await pause(20);
      }
    }
  }
}
