import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root of the repository. */
export const REPOSITORY = resolve(import.meta.dirname, '..', '..');

/** The text of a file of the repository. */
export function readShipped(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8');
}
