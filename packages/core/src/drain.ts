import type { Clock, Random } from './clock.ts';
import { drainPlan } from './drain-plan.ts';
import type { Streams } from './streams.ts';

export interface DrainTimes {
  /** How long load balancers get to notice that the instance is not ready, before the first stream ends; milliseconds. */
  readonly delayMs: number;
  /** Over how long the ends of the streams are spread at most, in milliseconds. */
  readonly windowMs: number;
  /** How long after the window a host may take to read the end of its stream, in milliseconds. */
  readonly graceMs: number;
}

/** Ends all streams of an instance that is shutting down. */
export interface Drain {
  /** Resolves once the delay is over and the last stream closed; never later than delay, window and grace together. */
  readonly done: Promise<void>;
  /** Skips the delay and ends all that is left now; a second call cuts what does not take its end. */
  hasten(): void;
}

/** How often streams that are due are ended. */
const STEP_MS = 20;

/** Starts to drain: new listens are refused from now on, open streams end one after the other with the result. */
export function startDrain(
  streams: Streams,
  times: DrainTimes,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Drain {
  const remaining = [...streams.open];
  const plan = drainPlan(remaining.length, times.windowMs, random);
  let hastened = false;
  let next = 0;
  let startedAt = clock.now();
  let endDelay = (): void => {};

  const endDue = (): void => {
    const elapsedMs = clock.now() - startedAt;
    while (next < remaining.length && (hastened || (plan[next] as number) <= elapsedMs))
      remaining[next++]?.end('drain');
    if (next < remaining.length) cancelStep = clock.after(STEP_MS, endDue);
  };
  const start = (): void => {
    startedAt = clock.now();
    endDelay();
    endDue();
  };
  const cutAll = (): void => {
    for (const stream of streams.open) stream.cut('drain-deadline');
  };

  let cancelStep = clock.after(times.delayMs, start);
  const cancelDeadline = clock.after(times.delayMs + times.windowMs + times.graceMs, cutAll);
  const delayed = new Promise<void>((resolve) => {
    endDelay = resolve;
  });
  const done = Promise.all([delayed, streams.startDraining()]).then(() => {
    cancelStep();
    cancelDeadline();
  });
  return {
    done,
    hasten: () => {
      if (hastened) cutAll();
      hastened = true;
      cancelStep();
      start();
    },
  };
}
