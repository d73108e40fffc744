import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type ApiKey, ApiKeys } from './api-key.ts';
import { apiKeysConfig } from './auth-config.ts';

export interface KeysFileOptions {
  /** The file; absent where the configuration has all keys. */
  readonly path: string | undefined;
  /** The keys that the configuration itself has. */
  readonly configured: readonly ApiKey[];
  /** Told of each reading after the first: how many keys there are, or why the file cannot be used. */
  readonly onRead: (read: { readonly keys: number } | { readonly why: string }) => void;
}

/** A mounted secret changes by a swapped link, of which a watcher of the file would not hear: so it is looked at. */
const LOOK_MS = 2_000;

/** The keys of the configuration and of a file that may change while the service runs. */
export class KeysFile {
  readonly #options: KeysFileOptions;
  #text: string | undefined;
  #keys: ApiKeys;
  #timer: NodeJS.Timeout | undefined;

  /** Reads the file; throws where it cannot be used. */
  constructor(options: KeysFileOptions) {
    this.#options = options;
    const { path, configured } = options;
    if (path !== undefined) {
      this.#text = textOf(path);
      this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
      process.on('SIGHUP', this.#readAgain);
    }
    this.#keys = new ApiKeys(this.#text === undefined ? configured : this.#parse(this.#text));
  }

  get keys(): ApiKeys {
    return this.#keys;
  }

  close(): void {
    clearInterval(this.#timer);
    process.off('SIGHUP', this.#readAgain);
  }

  #look(): void {
    const { path = '' } = this.#options;
    let text: string | undefined;
    try {
      text = textOf(path);
    } catch {
      // Between two versions there may be none; a SIGHUP says so if it stays like that.
      return;
    }
    if (text !== this.#text) this.#readAgain();
  }

  /** A file that cannot be used leaves the keys as they were: half a file must lock nobody out. */
  readonly #readAgain = (): void => {
    try {
      this.#text = textOf(this.#options.path ?? '');
      const keys = this.#parse(this.#text);
      this.#keys = new ApiKeys(keys);
      this.#options.onRead({ keys: keys.length });
    } catch (cause) {
      this.#options.onRead({ why: cause instanceof Error ? cause.message : String(cause) });
    }
  };

  #parse(text: string): readonly ApiKey[] {
    const { path, configured } = this.#options;
    const keys = apiKeysConfig.safeParse([...configured, ...listIn(text, path)]);
    if (keys.success) return keys.data;
    // By position and never by value: a key might have been written where its hash belongs.
    const problems = keys.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`);
    throw new Error(`publisher.auth.keysFile: ${path} cannot be used: ${problems.join('; ')}`);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`publisher.auth.keysFile: ${path} cannot be read: ${(cause as NodeJS.ErrnoException).code}`);
  }
}

function listIn(text: string, path: string | undefined): readonly unknown[] {
  let list: unknown;
  try {
    list = parse(text);
  } catch {
    // What the parser says may repeat the line that it stumbled over.
    throw new Error(`publisher.auth.keysFile: ${path} is not YAML`);
  }
  if (!Array.isArray(list)) throw new Error(`publisher.auth.keysFile: ${path} must be a list of keys`);
  return list;
}
