import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readShipped } from '../deploy/repository.ts';
import { render, type Values } from './chart.ts';
import { HELM_MS } from './helm-program.ts';
import { problemsOf } from './rendered-settings.ts';

const text = readShipped('docs/helm.md');
const defaults = parse(readShipped('deploy/helm/listen-gateway/values.yaml')) as Values;

describe('docs/helm.md', { timeout: HELM_MS }, () => {
  it('begins with values that the chart takes, and that both services start with', async () => {
    const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
    expect(problemsOf(await render(parse(example) as Values))).toEqual([]);
  });

  it('names everything that may be enabled', () => {
    const [, table = ''] = /\| value \|[^\n]*\n((?:\|[^\n]*\n)+)/.exec(text) ?? [];
    const named = Array.from(table.matchAll(/`(\w+)`(?=[^|\n]*\|[^|\n]*\|$)/gm), ([, name]) => name);
    const optional = Object.entries(defaults).filter(([, value]) => Object.hasOwn(Object(value), 'enabled'));
    expect(named.sort()).toEqual(optional.map(([name]) => name).sort());
  });
});
