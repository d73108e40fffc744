import type { Published } from '@listen-gateway/protocol';
import { numbered } from '@listen-gateway/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginRead, type Continuity, followMessage, followPage, type Page, resume, type Step } from './continuity.ts';
import { compareIds, type JournalEntry, type JournalId, ORIGIN } from './journal-entry.ts';

const HELD_BOUND = 2;
const PAGE_LENGTH = 3;

/**
 * A journal, the pub/sub link to one instance and that instance's continuity. Every step happens only when told, so
 * that messages, reads and faults interleave in every way.
 */
class World {
  readonly heard: number[] = [];
  gaps = 0;
  /** Every change up to this number was published before the read that last reported a gap. */
  excusedUpTo = 0;
  /** Changes published before the first read are of no interest. */
  firstOfInterest: number | undefined;
  published = 0;
  #journal: JournalEntry[] = [];
  #last: JournalId = ORIGIN;
  /** What the replica has. */
  #copy: { readonly journal: readonly JournalEntry[]; readonly last: JournalId } = { journal: [], last: ORIGIN };
  #clockMs = 1_000;
  #history = 0;
  #failovers = 0;
  /** How many of them there had been when the last subscription was confirmed. */
  #confirmedAfter: number | undefined;
  #connected = false;
  #link: JournalEntry[] = [];
  #continuity: Continuity | undefined;
  #read: { from: JournalId | undefined; served?: { page: Page; published: number } } | undefined;

  publish(): void {
    this.published += 1;
    const entry = { id: this.#nextId(), prev: this.#last, change: numbered(this.published) };
    this.#journal = [...this.#journal, entry];
    this.#last = entry.id;
    if (this.#connected) this.#link.push(entry);
  }

  tick(): void {
    this.#clockMs += 1;
  }

  arrive(): void {
    const entry = this.#link.shift();
    if (entry && this.#continuity) this.#take(followMessage(this.#continuity, entry, HELD_BOUND), this.published);
  }

  cut(): void {
    this.#connected = false;
    this.#link = [];
  }

  connect(): void {
    if (this.#connected) return;
    this.#connected = true;
    const doubted = this.#confirmedAfter !== undefined && this.#confirmedAfter !== this.#failovers;
    this.#confirmedAfter = this.#failovers;
    this.#continuity = resume(this.#continuity, doubted);
  }

  sendRead(): void {
    if (this.#read || !this.#connected || this.#continuity?.phase !== 'reading') return;
    this.#continuity = beginRead(this.#continuity);
    this.#read = { from: this.#continuity.lastSeen };
  }

  serveRead(): void {
    if (!this.#read || this.#read.served) return;
    const { from } = this.#read;
    if (this.#last === ORIGIN) this.#last = this.#nextId();
    const idle = from === undefined || from === this.#last;
    const entries = idle ? [] : this.#journal.filter(({ id }) => compareIds(id, from) >= 0).slice(0, PAGE_LENGTH);
    this.#read.served = { page: { tip: this.#last, entries }, published: this.published };
    if (from === undefined) this.firstOfInterest = this.published + 1;
  }

  answerRead(): void {
    const { page, published } = this.#read?.served ?? {};
    if (!page || published === undefined || this.#continuity?.phase !== 'reading') return;
    this.#read = undefined;
    this.#take(followPage(this.#continuity, page), published);
  }

  failRead(): void {
    if (this.#continuity?.phase === 'reading' && this.#continuity.lastSeen !== undefined) this.#read = undefined;
  }

  trim(): void {
    this.#journal = this.#journal.slice(-1);
  }

  flush(): void {
    this.#lose({ journal: [], last: ORIGIN }, 0);
  }

  replicate(): void {
    this.#copy = { journal: this.#journal, last: this.#last };
  }

  /**
   * The replica takes over, and every connection breaks. Of a change that was lost before this instance heard of it the
   * journal may keep no trace.
   */
  failOver(): void {
    this.cut();
    this.#failovers += 1;
    this.#lose(this.#copy, 0);
  }

  /** The data is lost, and the new clock is behind. */
  flushAndTurnBack(): void {
    this.#lose({ journal: [], last: ORIGIN }, 5);
  }

  /** Lets everything that is under way come to its end. */
  settle(): void {
    this.connect();
    for (let round = 0; round < 1_000; round += 1) {
      if (this.#continuity?.phase === 'live' && this.#link.length === 0 && !this.#read) return;
      this.sendRead();
      this.serveRead();
      this.answerRead();
      this.arrive();
    }
    throw new Error('does not come to rest');
  }

  #nextId(): JournalId {
    const [lastMs = 0, lastSeq = 0] = this.#last.split('-').map(Number);
    // The last digits tell histories apart: after a loss of data ids may go back, but never meet an old one.
    const ms = this.#clockMs * 1_000 + this.#history;
    return ms > lastMs ? `${ms}-0` : `${lastMs}-${lastSeq + 1}`;
  }

  #lose({ journal, last }: { journal: readonly JournalEntry[]; last: JournalId }, turnBackMs: number): void {
    this.#journal = [...journal];
    this.#last = last;
    this.#history += 1;
    this.#clockMs = Math.max(1, this.#clockMs - turnBackMs);
  }

  #take(step: Step, publishedAtRead: number): void {
    this.#continuity = step.state;
    if (step.gap) {
      this.gaps += 1;
      this.excusedUpTo = Math.max(this.excusedUpTo, publishedAtRead);
    }
    this.heard.push(...step.deliver.map(({ change }) => numberOf(change)));
  }
}

function numberOf(change: Published | undefined): number {
  return change?.kind === 'resource' ? Number(change.uri.slice('test://'.length)) : Number.NaN;
}

type Act = Exclude<keyof World, keyof { [K in keyof World as World[K] extends () => void ? never : K]: 1 } | 'settle'>;

const HARMLESS: Act[] = ['publish', 'publish', 'tick', 'arrive', 'arrive', 'sendRead', 'serveRead', 'answerRead'];
const BREAKS: Act[] = [...HARMLESS, 'cut', 'connect', 'connect', 'failRead'];
const LOSSES: Act[] = [...BREAKS, 'trim', 'flush', 'flushAndTurnBack'];
const FAILOVERS: Act[] = [...BREAKS, 'replicate', 'replicate', 'failOver'];

function play(acts: readonly Act[]): World {
  const world = new World();
  world.connect();
  for (const act of acts) world[act]();
  world.settle();
  return world;
}

const acts = (from: Act[]) => fc.array(fc.constantFrom(...from), { maxLength: 120 });
const RUNS = { numRuns: 3_000 };

describe('the continuity of a channel', () => {
  it('delivers each change exactly once and in order, through every break of the connection', () => {
    fc.assert(
      fc.property(acts(BREAKS), (sequence) => {
        const world = play(sequence);
        const from = world.heard[0] ?? world.published + 1;
        expect(from).toBeLessThanOrEqual(world.firstOfInterest ?? Number.POSITIVE_INFINITY);
        expect(world.heard).toEqual(Array.from({ length: world.published + 1 - from }, (_, index) => from + index));
        expect(world.gaps).toBe(0);
      }),
      RUNS,
    );
  });

  it.each([
    ['whatever becomes of the journal', LOSSES],
    ['although a failover eats changes without a trace', FAILOVERS],
  ])('delivers each change once or reports a gap, %s', (_, from) => {
    fc.assert(
      fc.property(acts(from), (sequence) => {
        const world = play(sequence);
        const heard = new Set(world.heard);
        const firstOfInterest = world.firstOfInterest ?? world.published + 1;
        for (let n = firstOfInterest; n <= world.published; n += 1) {
          if (n > world.excusedUpTo) expect(heard).toContain(n);
        }
        expect(heard.size).toBe(world.heard.length);
      }),
      RUNS,
    );
  });
});
