import type { ViolationKind } from '../violation.ts';

/** One place of the gateway, written wrongly. */
export interface Mutation {
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly original: string;
  readonly instead: string;
  /** What the checker has to say of it. */
  readonly expected: ViolationKind;
}

/** What the campaign must notice, or its silence means nothing. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'catch-up-off',
    file: 'packages/broker-redis/src/continuity.ts',
    original: 'const missed = missedIn(state.lastSeen, page);',
    instead: 'const missed: JournalEntry[] = [];',
    expected: 'unsignalled',
  },
  {
    name: 'acknowledge-before-attach',
    file: 'packages/core/src/streams.ts',
    original: 'await this.#attachments.acquire(stream.serverId);',
    instead: 'this.#attachments.acquire(stream.serverId).catch(() => {});',
    expected: 'acknowledged-while-cut-off',
  },
  {
    name: 'outbox-dropping',
    file: 'packages/core/src/outbox.ts',
    original: 'if (isNew || traced !== undefined) this.#moreUris.set(uri, traced);',
    instead: '',
    expected: 'unsignalled',
  },
  {
    name: 'probe-off',
    file: 'packages/broker-redis/src/probe.ts',
    original: `void receive.verify();
    if (!this.#subscription.isOn || !commands.isUp) this.#sent = undefined;`,
    instead: 'if (!this.#subscription.isOn || !commands.isUp || this.#sent?.late) this.#sent = undefined;',
    expected: 'not-recovered',
  },
  {
    name: 'gap-not-announced',
    file: 'packages/broker-redis/src/channel.ts',
    original: 'this.#listeners.tell((listener) => listener.gap());',
    instead: '',
    expected: 'unsignalled',
  },
];
