import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTALL_MS, openRedis, type Redis, type ServiceName, startService } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Metric, type Metrics, readExposition, readMetricTables, together } from './metric-table.ts';
import { ROOT } from './workspace.ts';

const EVERY = ['metrics.md', 'metrics/node.md'];
const PAGES: Readonly<Record<ServiceName, readonly string[]>> = {
  gateway: [...EVERY, 'metrics/gateway.md'],
  publisher: [...EVERY, 'metrics/publisher.md'],
  standalone: [...EVERY, 'metrics/gateway.md', 'metrics/publisher.md'],
};

const readPages = (names: readonly string[]) =>
  together(names.map((name) => readMetricTables(readFileSync(join(ROOT, 'docs', name), 'utf8'))));

/** What the pages say and a service that has just started does not show, and the reverse; empty where they agree. */
function differences(said: Metrics, shown: Metrics, service: string): string[] {
  const found: string[] = [];
  for (const name of said.keys()) if (!shown.has(name)) found.push(`${name} is documented and not exposed`);
  for (const [name, metric] of shown) {
    const documented = said.get(name);
    if (documented === undefined) found.push(`${name} is exposed and not documented`);
    else found.push(...differencesOf(name, documented, metric, service));
  }
  return found;
}

function differencesOf(name: string, said: Metric, shown: Metric, service: string): string[] {
  const found = said.type === shown.type ? [] : [`${name} is a ${shown.type}, not a ${said.type}`];
  const isOpen = [...said.labels.values()].every(({ size }) => size === 0);
  // Of labels with open values there may be no series yet.
  if (isOpen && shown.labels.size === 0) return found;
  for (const label of new Set([...said.labels.keys(), ...shown.labels.keys()])) {
    const [documented, values = new Set<string>()] = [said.labels.get(label), shown.labels.get(label)];
    const expected = label === 'service' ? new Set([service]) : documented;
    if (documented === undefined) found.push(`${name} has a label ${label} that is not documented`);
    else if (documented.size > 0 && !isSame(expected, values))
      found.push(`${name} shows ${label} as ${[...values]}, and is documented with ${[...(expected ?? [])]}`);
    else if (values.size === 0) found.push(`${name} has no label ${label}`);
  }
  return found;
}

function isSame(one: ReadonlySet<string> = new Set(), other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((value) => other.has(value));
}

describe('the documentation of metrics', () => {
  let redis: Redis;

  beforeAll(async () => {
    redis = await openRedis();
  }, INSTALL_MS);

  afterAll(() => redis.close());

  it.each(Object.entries(PAGES) as [ServiceName, readonly string[]][])(
    'lists what a %s exposes, by name, type and labels, and every value of a closed set is there from the start',
    async (name, pages) => {
      const env = { LG_BROKER__URL: redis.url, LG_PUBLISHER__MIN_REPLICAS: '1', LG_SAMPLE__ENABLED: 'false' };
      const service = await startService(name, name === 'standalone' ? { ...env, LG_PUBLISHER__PORT: '0' } : env);
      try {
        const said = readPages(pages);
        const found = async () => {
          const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
          return differences(said, readExposition(text), name);
        };
        // Its connections to Redis come up one after the other.
        await expect.poll(found, { timeout: 10_000 }).toEqual([]);
      } finally {
        await service.kill();
      }
    },
    60_000,
  );
});

describe('the comparison', () => {
  const TEXT = [
    '# HELP lg_a_total A.',
    '# TYPE lg_a_total counter',
    'lg_a_total{reason="x"} 0',
    'lg_a_total{reason="y"} 0',
    '# TYPE lg_b_seconds histogram',
    'lg_b_seconds_bucket{le="1",kind="minor"} 0',
    'lg_b_seconds_count{kind="minor"} 0',
  ].join('\n');
  const A = '| `lg_a_total` | counter, times | `reason`: `x`, `y` | what |';
  const B = '| `lg_{b,c}_seconds` | histogram, seconds | `kind` | what |';

  it.each([
    [[A, B.replace('{b,c}', 'b')], []],
    [[A, B], ['lg_c_seconds is documented and not exposed']],
    [[A], ['lg_b_seconds is exposed and not documented']],
    [[A.replace('counter', 'gauge'), B.replace(',c', '')], ['lg_a_total is a counter, not a gauge']],
    [[A.replace(', `y`', ''), B.replace(',c', '')], ['lg_a_total shows reason as x,y, and is documented with x']],
    [
      [A.replace('`y`', '`y`, `z`'), B.replace(',c', '')],
      ['lg_a_total shows reason as x,y, and is documented with x,y,z'],
    ],
    [
      [A.replace('`reason`: `x`, `y`', ''), B.replace(',c', '')],
      ['lg_a_total has a label reason that is not documented'],
    ],
    [[A, B.replace(',c', '').replace('`kind`', '`kind`; `size`')], ['lg_b_seconds has no label size']],
  ])('finds what differs: %j', (rows, found) => {
    expect(differences(readMetricTables(rows.join('\n')), readExposition(TEXT), 'gateway')).toEqual(found);
  });

  it('takes the values of several pages together', () => {
    const pages = [A.replace(', `y`', ''), A.replace('`x`, ', ''), B.replace(',c', '')];
    const said = together(pages.map((one) => readMetricTables(one)));
    expect(differences(said, readExposition(TEXT), 'gateway')).toEqual([]);
  });

  it('refuses a row without a unit, and a metric that stands there twice', () => {
    expect(() => readMetricTables(A.replace(', times', ''))).toThrow('lacks its type');
    expect(() => readMetricTables(`${A}\n${A}`)).toThrow('twice');
  });
});
