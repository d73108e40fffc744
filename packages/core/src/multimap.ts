/**
 * Values under keys, several to a key. A key with one value holds it without a set of its own: most URIs are watched
 * by one stream, and a set costs more than the rest of the entry.
 */
export class Multimap<Key, Value extends object> {
  readonly #entries = new Map<Key, Value | Set<Value>>();

  get size(): number {
    return this.#entries.size;
  }

  /** How many values a key has. */
  count(key: Key): number {
    const entry = this.#entries.get(key);
    if (entry === undefined) return 0;
    return entry instanceof Set ? entry.size : 1;
  }

  add(key: Key, value: Value): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, value);
    else if (entry instanceof Set) entry.add(value);
    else if (entry !== value) this.#entries.set(key, new Set([entry, value]));
  }

  delete(key: Key, value: Value): void {
    const entry = this.#entries.get(key);
    if (entry === value) this.#entries.delete(key);
    else if (entry instanceof Set && entry.delete(value) && entry.size === 0) this.#entries.delete(key);
  }

  /** Calls `visit` for each value under a key. */
  each(key: Key, visit: (value: Value) => void): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (!(entry instanceof Set)) visit(entry);
    // Not `forEach`, which hands a visitor two more arguments that it may take for its own.
    else for (const value of entry) visit(value);
  }
}
