import type { Cancel, Clock } from './clock.ts';

/** How often the wheel moves on; deadlines are met this exactly. */
const TICK_MS = 100;

/**
 * Visits every member once in each turn, spread evenly: one timer for the instance instead of one for each stream, and
 * no moment at which all keepalives are due.
 */
export class Wheel<Member extends { readonly id: number }> {
  readonly #clock: Clock;
  readonly #visit: (member: Member) => void;
  readonly #ticked: () => void;
  readonly #slots: readonly Set<Member>[];
  #hand = 0;
  #dueAt = 0;
  #cancel: Cancel | undefined;

  constructor(
    clock: Clock,
    options: { readonly turnMs: number; readonly visit: (member: Member) => void; readonly ticked: () => void },
  ) {
    this.#clock = clock;
    this.#visit = options.visit;
    this.#ticked = options.ticked;
    const slots = Math.max(1, Math.floor(options.turnMs / TICK_MS));
    this.#slots = Array.from({ length: slots }, () => new Set<Member>());
  }

  start(): void {
    if (this.#cancel !== undefined) return;
    this.#dueAt = this.#clock.now() + TICK_MS;
    this.#cancel = this.#clock.after(TICK_MS, this.#tick);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  add(member: Member): void {
    this.#slot(member.id).add(member);
  }

  remove(member: Member): void {
    this.#slot(member.id).delete(member);
  }

  readonly #tick = (): void => {
    // From the time that was due and not from now: timers come late, and the delays of a turn would add up to a late visit.
    this.#dueAt += TICK_MS;
    this.#cancel = this.#clock.after(Math.max(0, this.#dueAt - this.#clock.now()), this.#tick);
    this.#hand = (this.#hand + 1) % this.#slots.length;
    for (const member of this.#slot(this.#hand)) this.#visit(member);
    this.#ticked();
  };

  #slot(number: number): Set<Member> {
    return this.#slots[number % this.#slots.length] as Set<Member>;
  }
}
