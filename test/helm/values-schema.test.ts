import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { REPOSITORY } from '../deploy/repository.ts';
import { CHART, refusal, render, runHelm, type Values } from './chart.ts';
import { configSchema } from './config-schema.ts';
import { HELM_MS } from './helm-program.ts';

interface Node {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: unknown;
}

const SCHEMA_FILE = join(CHART, 'values.schema.json');
const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as Node & {
  readonly definitions: Readonly<Record<string, Node>>;
};
const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Values;

/** The paths of a node's members, down to those of which the operator chooses the names. */
function membersOf({ properties = {} }: Node, path: readonly string[] = []): string[] {
  return Object.entries(properties).flatMap(([name, node]) => {
    const beneath = membersOf(node, [...path, name]);
    return beneath.length > 0 ? beneath : [[...path, name].join('.')];
  });
}

function valueAt(path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Values | undefined)?.[name], values);
}

describe('values.schema.json', { timeout: HELM_MS }, () => {
  // Written again by: npx vitest run --project helm values-schema -u
  it('has of the configuration what the schemas of the services have', async () => {
    const whole = { ...schema, definitions: { ...schema.definitions, config: configSchema() } };
    const biome = join(REPOSITORY, 'node_modules', '.bin', 'biome');
    const formatted = execFileSync(biome, ['format', '--stdin-file-path=values.schema.json'], {
      cwd: REPOSITORY,
      input: JSON.stringify(whole, null, 2),
      encoding: 'utf8',
    });
    await expect(formatted).toMatchFileSnapshot(SCHEMA_FILE);
  });

  it('knows no value that values.yaml does not show', () => {
    const { global: _, enabled: __, ...properties } = schema.properties ?? {};
    const missing = membersOf({ properties }).filter((path) => valueAt(path) === undefined);
    expect(missing).toEqual([]);
  });

  it.each([
    [{ replicas: 3 }, 'replicas'],
    [{ gateway: { replica: 3 } }, 'replica'],
    [{ gateway: { resources: { request: {} } } }, 'request'],
    [{ publisher: { service: { typ: 'NodePort' } } }, 'typ'],
    [{ keda: { streamsPerPods: 1 } }, 'streamsPerPods'],
    [{ networkPolicy: { rediss: {} } }, 'rediss'],
    [{ config: { drains: {} } }, 'drains'],
    [{ config: { drain: { delayMS: 1 } } }, 'delayMS'],
    [{ config: { servers: { acme: { upstreams: {} } } } }, 'upstreams'],
    [{ config: { sample: { enabled: true } } }, 'sample'],
  ])('refuses what is misspelt, by its name: %j', async (misspelt, name) => {
    expect(await refusal(misspelt)).toMatch(new RegExp(`[Aa]dditional propert(y|ies) '?${name}'? (is )?not allowed`));
  });

  it.each([
    [{ gateway: { replicas: '3' } }, 'replicas'],
    [{ gateway: { extraEnv: [{ name: 'ACME', value: 1 }] } }, 'value'],
    [{ gateway: { extraEnv: [{ value: 'x' }] } }, 'name'],
    [{ publisher: { preStopSeconds: 2 } }, 'preStopSeconds'],
    [{ image: { digest: 'sha256:123' } }, 'digest'],
    [{ broker: { url: 'memory:' } }, 'url'],
    [{ networkPolicy: { redis: { ports: [] } } }, 'ports'],
    [{ config: [] }, 'config'],
    [{ config: { log: { level: 'loud' } } }, 'level'],
    [{ config: { limits: { streamsPerInstance: 0 } } }, 'streamsPerInstance'],
    // What Helm makes of a bare off.
    [{ config: { servers: { acme: { upstream: { url: 'http://acme', authorization: false } } } } }, 'authorization'],
  ])('refuses what is no such value, by its name: %j', async (wrong, name) => {
    expect(await refusal(wrong)).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('is what lint asks too', async () => {
    const { ok, stdout } = await runHelm('lint', CHART, '--set', 'gateway.replica=3');
    expect(ok).toBe(false);
    expect(stdout).toContain('replica');
  });

  it('leaves to a chart above what it shares with all of its charts, and whether it has this one', async () => {
    const above = { global: { imageRegistry: 'registry.example.com' }, enabled: true };
    expect(await render(above)).toEqual(await render({}));
  });
});
