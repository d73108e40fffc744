import { describe, expect, it } from 'vitest';
import { ensureProgram } from './ensure-program.ts';

describe('ensureProgram', () => {
  it('finds what is on PATH', async () => {
    expect(await ensureProgram('sh', { apt: 'dash' })).toMatch(/\/sh$/);
  });
});
