/** The end of a pattern that stands for a path segment boundary and everything behind it. */
const BENEATH = '/**';
const EVERYTHING = '**';

/**
 * Names of what may be watched, and nothing cleverer: `file:///teams/a/**` covers `file:///teams/a` and all beneath it on
 * path segments, `**` covers everything, any other text covers just itself. No expression is ever compiled from one, so
 * none costs more than its length.
 */
export class Patterns {
  readonly #exact = new Set<string>();
  /** What stands before a `/**`. */
  readonly #roots = new Set<string>();
  readonly #everything: boolean;
  /** The names whose whole tree is covered: what a subscription needs that also hears of sub-resources (P-1.11). */
  readonly trees: { has(name: string): boolean } = { has: (name) => this.#everything || this.#isBeneath(name) };

  constructor(patterns: Iterable<string>) {
    for (const pattern of patterns) {
      if (pattern.endsWith(BENEATH)) this.#roots.add(pattern.slice(0, -BENEATH.length));
      else this.#exact.add(pattern);
    }
    this.#everything = this.#exact.delete(EVERYTHING);
  }

  /** Whether a name is covered, byte for byte. */
  has(name: string): boolean {
    return this.#everything || this.#exact.has(name) || this.#isBeneath(name);
  }

  #isBeneath(name: string): boolean {
    for (const root of this.#roots) {
      const isBelow = name.startsWith(root) && (name.length === root.length || name[root.length] === '/');
      if (isBelow) return !climbs(name);
    }
    return false;
  }
}

/** Whether a text is a pattern that does what it looks like: a `*` elsewhere would cover nothing but itself. */
export function isPattern(text: string): boolean {
  const fixed = text.endsWith(BENEATH) ? text.slice(0, -BENEATH.length) : text;
  return text === EVERYTHING || (text !== '' && !fixed.includes('*'));
}

/**
 * Whether a URI may resolve to a place that it does not begin with: `a/../b` begins with `a/` and is `b`. Percent signs,
 * parameters, and what URL parsers drop or turn into slashes are seen through; such a URI is covered by its own name only.
 */
function climbs(uri: string): boolean {
  const [path = ''] = uri.split(/[?#]/, 1);
  return CLIMBING.test(path);
}

/** A dot segment, or a character that makes one of its surroundings. Every alternative is of bounded length: linear. */
const CLIMBING = /[\\\t\n\r]|(?:^|\/|%2f|%5c)(?:\.|%2e){1,2}(?:;|\/|%2f|%5c|$)/i;
