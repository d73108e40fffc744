import type { ServerId } from '@listen-gateway/protocol';
import type { JournalId } from './journal-entry.ts';
import type { RedisKeys } from './redis-keys.ts';
import { Turns } from './turns.ts';

/** The last change of a server that this process was told is accepted. */
export interface Accepted {
  readonly serverId: ServerId;
  readonly keys: RedisKeys;
  readonly id: JournalId;
  /** Of the data that it became a part of, see `Replication`. */
  readonly history: string;
}

export interface AcceptedChangesOwner {
  /** The history of the data that the server's journal is in now; undefined while it is out of reach. */
  historyOf(keys: RedisKeys): string | undefined;
  /** Looks whether the journal still has the change, and breaks the journal's chain if not. */
  breakIfLost(accepted: Accepted): Promise<void>;
}

/**
 * A failover may eat what was accepted last, and an instance that never heard of it cannot know. Who published it does:
 * it asks the new master, and if the change is gone, sees to it that every instance reports a gap.
 */
export class AcceptedChanges {
  readonly #owner: AcceptedChangesOwner;
  readonly #ageMs: number;
  /** The one accepted longest ago comes first. */
  readonly #latest = new Map<ServerId, Remembered>();
  /** Accepted before the data became another, and not looked for yet. */
  readonly #doubtful = new Set<Remembered>();
  readonly #turns = new Turns(CONCURRENT_LOOKS);
  #looking = false;

  /** `ageMs`: after that no journal has the change anyway. */
  constructor(owner: AcceptedChangesOwner, ageMs: number) {
    this.#owner = owner;
    this.#ageMs = ageMs;
  }

  note(accepted: Accepted): void {
    const before = this.#latest.get(accepted.serverId);
    this.#latest.delete(accepted.serverId);
    this.#latest.set(accepted.serverId, { accepted, at: performance.now() });
    dropOldest(this.#latest);
    if (before === undefined || before.accepted.history === accepted.history) return;
    this.#doubtful.add(before);
    dropOldest(this.#doubtful);
    void this.look();
  }

  /** Looks for every change whose data has become another since. Never rejects; call it from time to time. */
  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    this.#gatherDoubtful();
    await Promise.all([...this.#doubtful].map((one) => this.#turns.take(() => this.#lookFor(one))));
    this.#looking = false;
  }

  #gatherDoubtful(): void {
    for (const [serverId, remembered] of this.#latest) {
      const { accepted, at } = remembered;
      const history = this.#owner.historyOf(accepted.keys);
      if (performance.now() - at > this.#ageMs) this.#latest.delete(serverId);
      else if (history !== undefined && history !== accepted.history) this.#doubtful.add(remembered);
    }
  }

  async #lookFor(remembered: Remembered): Promise<void> {
    const { accepted, at } = remembered;
    const { serverId, keys } = accepted;
    const history = this.#owner.historyOf(keys);
    if (history === undefined) return;
    try {
      await this.#owner.breakIfLost(accepted);
    } catch {
      // Out of reach again; the next look is soon.
      return;
    }
    this.#doubtful.delete(remembered);
    if (this.#latest.get(serverId) === remembered) {
      this.#latest.set(serverId, { accepted: { ...accepted, history }, at });
    }
  }
}

interface Remembered {
  readonly accepted: Accepted;
  readonly at: number;
}

function dropOldest(remembered: Map<ServerId, Remembered> | Set<Remembered>): void {
  const [oldest] = remembered.keys();
  if (remembered.size > MOST && oldest !== undefined) remembered.delete(oldest as never);
}

const CONCURRENT_LOOKS = 32;
/** Servers remembered. */
const MOST = 10_000;
