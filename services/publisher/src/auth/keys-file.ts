import { readFileSync, unwatchFile, watchFile } from 'node:fs';
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

/** A mounted secret changes by a swapped link, of which no watcher of the file itself would hear: so it is looked at. */
const LOOK_MS = 2_000;

/** The keys of the configuration and of a file that may change while the service runs. */
export class KeysFile {
  readonly #options: KeysFileOptions;
  #keys: ApiKeys;

  /** Reads the file; throws where it cannot be used. */
  constructor(options: KeysFileOptions) {
    this.#options = options;
    this.#keys = new ApiKeys(this.#read());
    if (options.path === undefined) return;
    // Not kept alive by it: a process that has ended everything else ends.
    watchFile(options.path, { interval: LOOK_MS, persistent: false }, this.#readAgain);
    process.on('SIGHUP', this.#readAgain);
  }

  get keys(): ApiKeys {
    return this.#keys;
  }

  close(): void {
    if (this.#options.path === undefined) return;
    unwatchFile(this.#options.path, this.#readAgain);
    process.off('SIGHUP', this.#readAgain);
  }

  /** A file that cannot be used leaves the keys as they were: half a file must lock nobody out. */
  readonly #readAgain = (): void => {
    try {
      const keys = this.#read();
      this.#keys = new ApiKeys(keys);
      this.#options.onRead({ keys: keys.length });
    } catch (cause) {
      this.#options.onRead({ why: cause instanceof Error ? cause.message : String(cause) });
    }
  };

  #read(): readonly ApiKey[] {
    const { path, configured } = this.#options;
    if (path === undefined) return configured;
    const keys = apiKeysConfig.safeParse([...configured, ...listIn(path)]);
    if (keys.success) return keys.data;
    // By position and never by value: a key might have been written where its hash belongs.
    const problems = keys.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`);
    throw new Error(`publisher.auth.keysFile: ${path} cannot be used: ${problems.join('; ')}`);
  }
}

function listIn(path: string): readonly unknown[] {
  let list: unknown;
  try {
    list = parse(readFileSync(path, 'utf8'), { prettyErrors: false });
  } catch (cause) {
    // The parser's message may repeat the line that it stumbled over.
    const code = (cause as NodeJS.ErrnoException).code ?? 'not YAML';
    throw new Error(`publisher.auth.keysFile: ${path} cannot be read: ${code}`);
  }
  if (!Array.isArray(list)) throw new Error(`publisher.auth.keysFile: ${path} must be a list of keys`);
  return list;
}
