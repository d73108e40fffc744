import type { Random } from '@listen-gateway/core';

/** The same numbers for the same seed, on every machine (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `least` to `most`. */
export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** So many different ones of the list, in the list's order. */
export function sample<T>(random: Random, list: readonly T[], count: number): T[] {
  const places = new Set<number>();
  while (places.size < Math.min(count, list.length)) places.add(Math.floor(random() * list.length));
  return list.filter((_, index) => places.has(index));
}

/** The list in another order. */
export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const rest = [...list];
  for (let last = rest.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [rest[last], rest[other]] = [rest[other] as T, rest[last] as T];
  }
  return rest;
}
