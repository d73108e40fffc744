import type { Clock, Random } from './clock.ts';
import { drainPlan } from './drain-plan.ts';
import type { Streams } from './streams.ts';

export interface DrainOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Over how long the ends of the streams are spread at most, in milliseconds. */
  readonly windowMs: number;
  /** How long after the window a host may take to read the end of its stream, in milliseconds. */
  readonly graceMs: number;
}

/** Ends all streams of an instance that is shutting down. */
export interface Drain {
  /** Resolves once the last stream closed; never later than window and grace together. */
  readonly done: Promise<void>;
  /** Ends all that is left now; a second call cuts what does not take its end. */
  hasten(): void;
}

/** How often streams that are due are ended. */
const STEP_MS = 20;

/** Starts to drain: new listens are refused from now on, open streams end one after the other with the result. */
export function startDrain(streams: Streams, options: DrainOptions): Drain {
  const { clock, random, windowMs, graceMs } = options;
  const remaining = [...streams.open];
  const plan = drainPlan(remaining.length, windowMs, random);
  const startedAt = clock.now();
  let next = 0;
  let hastened = false;

  const endDue = (): void => {
    const elapsedMs = clock.now() - startedAt;
    while (next < remaining.length && (hastened || (plan[next] as number) <= elapsedMs))
      remaining[next++]?.end('drain');
    if (next < remaining.length) cancelStep = clock.after(STEP_MS, endDue);
  };
  const cutAll = (): void => {
    for (const stream of streams.open) stream.cut('drain-deadline');
  };

  let cancelStep = clock.after(0, endDue);
  const cancelDeadline = clock.after(windowMs + graceMs, cutAll);
  const done = streams.startDraining().finally(() => {
    cancelStep();
    cancelDeadline();
  });
  return {
    done,
    hasten: () => {
      if (hastened) cutAll();
      hastened = true;
      cancelStep();
      endDue();
    },
  };
}
