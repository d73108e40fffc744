/** The objects of a message whose members decide what happens to it. */
const CHECKED_PATHS = new Set(['', 'params', 'params._meta', 'params.notifications']);

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d];
/** White space in JSON is this character and three below it; nothing else below it stands outside of strings. */
const SPACE = 0x20;

/**
 * Finds a member that stands twice in one of the objects of a JSON-RPC message that are checked here, such as
 * `params._meta.x`. JSON parsers differ in which of two they keep: a gateway that checks one and forwards both has checked
 * nothing. `text` is valid JSON.
 *
 * It runs for every request, so it looks at character codes: patterns took three times as long (`npm run bench:proxy`).
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

  /** Passes over one value; answers the first duplicate in it. */
  value(path: string): string | undefined {
    const code = this.#next();
    if (code === OBJECT && CHECKED_PATHS.has(path)) return this.#object(path);
    if (code === OBJECT || code === ARRAY) this.#nested();
    else if (code === QUOTE) this.#string();
    else this.#scalar();
    return undefined;
  }

  #object(path: string): string | undefined {
    const seen = new Set<string>();
    this.#at += 1;
    for (;;) {
      const code = this.#next();
      if (code === COMMA) {
        this.#at += 1;
        continue;
      }
      if (code !== QUOTE) {
        this.#at += 1; // the closing brace
        return undefined;
      }
      const key = this.#key();
      const member = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) return member;
      seen.add(key);
      this.#next();
      this.#at += 1; // the colon
      const duplicate = this.value(member);
      if (duplicate !== undefined) return duplicate;
    }
  }

  /** The code of the next character that is no white space. */
  #next(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code <= SPACE) {
      this.#at += 1;
      code = this.#text.charCodeAt(this.#at);
    }
    return code;
  }

  /** Passes over an object or array that is not looked into, without recursion: its depth is the sender's choice. */
  #nested(): void {
    const text = this.#text;
    let depth = 0;
    do {
      const code = text.charCodeAt(this.#at);
      if (code === QUOTE) {
        this.#string();
        continue;
      }
      if (code === OBJECT || code === ARRAY) depth += 1;
      else if (code === OBJECT_END || code === ARRAY_END) depth -= 1;
      this.#at += 1;
    } while (depth > 0);
  }

  #key(): string {
    const start = this.#at;
    this.#string();
    const key = this.#text.slice(start + 1, this.#at - 1);
    return key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key;
  }

  #string(): void {
    let quote = this.#at;
    do quote = this.#text.indexOf('"', quote + 1);
    while (this.#isEscaped(quote));
    this.#at = quote + 1;
  }

  /** Whether an odd number of backslashes stands before. */
  #isEscaped(at: number): boolean {
    let before = at - 1;
    while (this.#text.charCodeAt(before) === BACKSLASH) before -= 1;
    return (at - before) % 2 === 0;
  }

  /** A number or literal ends where the white space, comma or bracket after it begins, or with the text. */
  #scalar(): void {
    let code = this.#text.charCodeAt(this.#at);
    while (code > SPACE && code !== COMMA && code !== OBJECT_END && code !== ARRAY_END) {
      this.#at += 1;
      code = this.#text.charCodeAt(this.#at);
    }
  }
}
