import { performance } from 'node:perf_hooks';
import type { Clock } from '@listen-gateway/core';

/** The clock of this process: monotonic, so that a step of the wall clock neither ends nor stalls anything. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (delayMs, task) => {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
  soon: (task) => {
    setImmediate(task);
  },
};
