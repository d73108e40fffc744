import type { Fault, FaultKind } from './fault.ts';
import { between, seeded, shuffled } from './random.ts';

export interface PlannedFault {
  readonly number: number;
  readonly fault: Fault;
  /** How long all is well before it. */
  readonly quietMs: number;
}

/** Round after round of all kinds, each round in another order; the same for the same seed. Never ends. */
export function* schedule(seed: number, kinds: readonly FaultKind[]): Generator<PlannedFault, never> {
  const random = seeded(seed);
  for (let number = 0; ; ) {
    for (const kind of shuffled(random, kinds)) {
      yield { number: number++, fault: kind.plan(random), quietMs: between(random, 500, 3_000) };
    }
  }
}

/** Each kind once, in their order. */
export function* onceEach(seed: number, kinds: readonly FaultKind[]): Generator<PlannedFault, void> {
  const random = seeded(seed);
  for (const [number, kind] of kinds.entries()) yield { number, fault: kind.plan(random), quietMs: 500 };
}
