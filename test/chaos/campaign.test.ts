import { INSTALL_MS } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { runCampaign } from './campaign.ts';
import { checkHistory } from './checker.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import { redisFrozen30 } from './faults/redis-frozen.ts';
import { historyOf } from './history.ts';
import { markdown, reportOf } from './report.ts';
import { onceEach } from './schedule.ts';
import { fleet } from './worlds.ts';

const SEED = 4;
/** `npm run chaos` has time for it. */
const TOO_LONG = [redisFrozen30];

describe('a campaign of every fault of a single Redis, its network, instances, hosts and publishers', () => {
  it(
    'breaks no promise (FIELD E1, E3, E5, E12, E15, E19, F1, F13)',
    async () => {
      const kinds = FAULT_KINDS.filter((kind) => kind.on.includes('standalone') && !TOO_LONG.includes(kind));
      const size = { servers: 4, hosts: 240, surge: 1_500, minutes: 2.5 };

      const records = await runCampaign(fleet('standalone', SEED, size), onceEach(SEED, kinds));

      const history = historyOf(records);
      const violations = checkHistory(history);
      const report = reportOf(history, violations);
      console.log([report.totals, report.faults, report.violations].map(markdown).join('\n\n'));
      // By kind and place, with the first of each: there may be thousands.
      expect(report.violations.rows).toEqual([]);
      // Of a campaign in which little happened, that would say little.
      expect(history.faults.map(({ name }) => name)).toEqual(kinds.map(({ name }) => name));
      expect(history.attempts.filter(({ status }) => status === 202).length).toBeGreaterThan(300);
      expect(history.attempts.filter(({ status }) => status === 503).length).toBeGreaterThan(50);
      expect(history.streams.filter(({ refusal }) => refusal).length).toBeGreaterThan(10);
      expect(history.catchUps.some(({ missed }) => missed > 0)).toBe(true);
      expect(history.gaps.length).toBeGreaterThan(0);
      expect(history.closes.some(({ reason }) => reason === 'slow-host')).toBe(true);
    },
    INSTALL_MS,
  );
});
