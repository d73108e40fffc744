import { eventually } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALERT_RULES, GROUPS, RECORDING_RULES } from '../monitoring/rules.ts';
import { BUILD_MS, ComposeFleet, DOWN_MS, UP_MS } from './compose-fleet.ts';

/** Some scrapes and evaluations, each 15 seconds apart. */
const SCRAPED_MS = 90_000;

interface Target {
  readonly labels: { readonly job: string };
  readonly health: string;
  readonly lastError: string;
}

interface Group {
  readonly name: string;
  readonly rules: readonly { readonly name: string; readonly health: string; readonly lastError?: string }[];
}

let fleet: ComposeFleet;

beforeAll(async () => {
  fleet = await ComposeFleet.onFreePorts();
  await fleet.up();
}, BUILD_MS + UP_MS);
afterAll(() => fleet.down(), DOWN_MS);

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${fleet.port('PROMETHEUS_PORT')}/api/v1/${path}`);
  const { data } = (await response.json()) as { readonly data: T };
  return data;
}

/** The jobs of the targets that could be scraped; fails where one has a fault that is not of the first moment. */
async function scrapedJobs(): Promise<readonly string[]> {
  const { activeTargets } = await ask<{ readonly activeTargets: readonly Target[] }>('targets?state=active');
  return activeTargets
    .filter(({ health }) => health === 'up')
    .map(({ labels }) => labels.job)
    .sort();
}

describe('prometheus of docker compose', { timeout: 3 * SCRAPED_MS }, () => {
  it('scrapes every process of the fleet', async () => {
    await eventually(SCRAPED_MS, 'two gateways and a publisher to be scraped', async () => {
      return (await scrapedJobs()).join() === 'gateway,gateway,publisher';
    });
  });

  it('has loaded every rule and finds no fault with any', async () => {
    let rules: Group['rules'] = [];
    await eventually(SCRAPED_MS, 'every rule to be evaluated', async () => {
      const { groups } = await ask<{ readonly groups: readonly Group[] }>('rules');
      expect(groups.map(({ name }) => name).sort()).toEqual(GROUPS.toSorted());
      rules = groups.flatMap((group) => group.rules);
      return rules.every(({ health }) => health !== 'unknown');
    });
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    expect(rules).toHaveLength(RECORDING_RULES.length + ALERT_RULES.length);
  });

  it('finds an instance that is added', async () => {
    await fleet.compose(['run', '--detach', '--no-deps', '--use-aliases', 'gateway-2']);
    await eventually(SCRAPED_MS, 'three gateways to be scraped', async () => {
      return (await scrapedJobs()).join() === 'gateway,gateway,gateway,publisher';
    });
  });

  it('can write to its data alone', async () => {
    const script =
      'id -un; for dir in /etc/prometheus / /prometheus; do touch $dir/here 2>/dev/null && echo $dir; done';
    const printed = await fleet.compose(['exec', '-T', 'prometheus', 'sh', '-c', `${script}; true`]);
    expect(printed.trim().split('\n')).toEqual(['nobody', '/prometheus']);
  });
});
