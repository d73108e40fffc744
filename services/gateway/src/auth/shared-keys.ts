import { IssuerKeys, type IssuerKeysOptions } from './issuer-keys.ts';

/** The keys of every issuer that an instance trusts: servers that trust the same one fetch them once. */
export class SharedKeys {
  readonly #keys = new Map<string, IssuerKeys>();

  /** Those of one issuer; servers that want them anew at other times have their own. */
  of(options: IssuerKeysOptions): IssuerKeys {
    const { issuer, jwksUrl, maxAgeMs, staleMs } = options;
    const name = JSON.stringify([issuer, jwksUrl, maxAgeMs, staleMs]);
    const keys = this.#keys.get(name) ?? new IssuerKeys(options);
    this.#keys.set(name, keys);
    return keys;
  }
}
