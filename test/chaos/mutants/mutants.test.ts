import { join } from 'node:path';
import { INSTALL_MS } from '@listen-gateway/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCampaign } from '../campaign.ts';
import { check } from '../checker.ts';
import { linkCut } from '../faults/link-cut.ts';
import { linkDeaf } from '../faults/link-deaf.ts';
import { redisEmptiedBehindCutLink } from '../faults/redis-emptied-behind-cut-link.ts';
import { onceEach } from '../schedule.ts';
import type { Violation } from '../violation.ts';
import { population } from '../worlds.ts';
import { MUTATIONS } from './mutations.ts';

const SEED = 11;
const WHOLE = 'whole';

/** A gateway for each mutation and one without, side by side through the same faults. */
async function campaign(): Promise<readonly Violation[]> {
  const mutants = MUTATIONS.map(({ name }) => {
    return { name, linked: true, main: join(import.meta.dirname, 'gateway.ts'), env: { CHAOS_MUTATION: name } };
  });
  const size = { servers: 2, hosts: 180, surge: 0, minutes: 1 };
  const records = await runCampaign(
    {
      backbone: 'standalone',
      population: population(SEED, size),
      instances: [{ name: WHOLE, linked: true }, ...mutants],
      publishers: 1,
      hosts: size.hosts,
      surge: size.surge,
      rate: 12,
      // What the deaf one never does takes a whole one some 6 s.
      recoveryLimitMs: 12_000,
    },
    onceEach(SEED, [linkCut, redisEmptiedBehindCutLink, linkDeaf]),
  );
  return check(records);
}

describe('the checker', () => {
  let violations: readonly Violation[];

  beforeAll(async () => {
    violations = await campaign();
  }, INSTALL_MS);

  it.each(MUTATIONS)('notices a gateway with $name', ({ name, expected }) => {
    const kinds = new Set(violations.filter(({ where }) => where === name).map(({ kind }) => kind));
    expect([...kinds]).toContain(expected);
  });

  it('has nothing to say of the gateway as it is, beside them', () => {
    const names = new Set(MUTATIONS.map(({ name }) => name));
    expect(violations.filter(({ where = '' }) => !names.has(where))).toEqual([]);
  });
});
