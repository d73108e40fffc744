import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MUTATIONS } from '../chaos/mutants/mutations.ts';

const ROOT = join(import.meta.dirname, '..', '..');

describe('a mutation that the fault campaign has to notice', () => {
  it.each(MUTATIONS)('finds the one place that it changes: $name', ({ file, original }) => {
    const places = readFileSync(join(ROOT, file), 'utf8').split(original).length - 1;
    expect(places, `${file} was changed; write the mutation again`).toBe(1);
  });
});
