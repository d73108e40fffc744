/** The objects of a message whose members decide what happens to it. */
const CHECKED_PATHS = new Set(['', 'params', 'params._meta', 'params.notifications']);

/**
 * Finds a member that stands twice in one of the objects of a JSON-RPC message that are checked here, such as
 * `params._meta.x`. JSON parsers differ in which of two they keep: a gateway that checks one and forwards both has checked
 * nothing. `text` is valid JSON.
 */
export function duplicateMember(text: string): string | undefined {
  return new Scan(text).value('');
}

class Scan {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads one value; answers the first duplicate in it. */
  value(path: string): string | undefined {
    this.#space();
    switch (this.#text[this.#at]) {
      case '{':
        return CHECKED_PATHS.has(path) ? this.#object(path) : this.#skipNested();
      case '[':
        return this.#skipNested();
      case '"':
        this.#string();
        return undefined;
      default:
        this.#matchAt(SCALAR);
        return undefined;
    }
  }

  #object(path: string): string | undefined {
    const seen = new Set<string>();
    this.#at += 1;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] === '}') {
        this.#at += 1;
        return undefined;
      }
      if (this.#text[this.#at] === ',') {
        this.#at += 1;
        continue;
      }
      const key = JSON.parse(this.#string()) as string;
      const member = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) return member;
      seen.add(key);
      this.#space();
      this.#at += 1; // the colon
      const duplicate = this.value(member);
      if (duplicate !== undefined) return duplicate;
    }
  }

  /** Passes over an object or array that is not looked into, without recursion: its depth is the sender's choice. */
  #skipNested(): undefined {
    let depth = 0;
    do {
      this.#matchAt(UNNESTED);
      const character = this.#text[this.#at];
      if (character === '"') this.#string();
      else {
        depth += character === '{' || character === '[' ? 1 : -1;
        this.#at += 1;
      }
    } while (depth > 0);
    return undefined;
  }

  #string(): string {
    return this.#matchAt(STRING);
  }

  #space(): void {
    this.#matchAt(SPACE);
  }

  #matchAt(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const matched = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += matched.length;
    return matched;
  }
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const SCALAR = /[^,\]} \t\n\r]+/y;
const UNNESTED = /[^"[\]{}]*/y;
