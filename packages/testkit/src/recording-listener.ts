import type { BrokerListener } from '@listen-gateway/core';
import type { Published } from '@listen-gateway/protocol';
import { within } from './within.ts';

/** Writes down what a broker says, and wakes a test that waits for it. */
export class RecordingListener implements BrokerListener {
  readonly heard: (Published | 'gap')[] = [];
  /** How old each change was, in the order heard. */
  readonly agesMs: number[] = [];
  readonly #waiting = new Set<() => void>();

  change(change: Published, ageMs: number): void {
    this.agesMs.push(ageMs);
    this.#note(change);
  }

  gap(): void {
    this.#note('gap');
  }

  /** The changes alone, gaps left out. */
  get changes(): Published[] {
    return this.heard.filter((item) => item !== 'gap');
  }

  /** How many gaps were reported. */
  get gaps(): number {
    return this.heard.length - this.changes.length;
  }

  /** The URIs of the resource changes, in the order heard: the usual way to number changes in a test. */
  get uris(): string[] {
    return this.changes.flatMap((change) => (change.kind === 'resource' ? [change.uri] : []));
  }

  /** Resolves once `holds` is true of what was heard; asks again after each item. */
  async until(ms: number, what: string, holds: (listener: this) => boolean): Promise<void> {
    let wake = () => {};
    const held = new Promise<void>((resolve) => {
      wake = () => holds(this) && resolve();
    });
    this.#waiting.add(wake);
    wake();
    try {
      await within(ms, what, held);
    } finally {
      this.#waiting.delete(wake);
    }
  }

  #note(item: Published | 'gap'): void {
    this.heard.push(item);
    for (const wake of this.#waiting) wake();
  }
}
