import type { Random } from '@listen-gateway/core';

const LEAST_S = 1;
const MOST_S = 5;

/** A `Retry-After` of 1–5 seconds; spread, so that those refused together do not return together. */
export function retryAfter(random: Random): string {
  return String(LEAST_S + Math.floor(random() * (MOST_S - LEAST_S + 1)));
}
