import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INSTALL_MS } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROMETHEUS, promtool } from './promtool.ts';
import { ALERT_RULES, GROUPS, RECORDING_RULES, RULE_TESTS, readRuleTests } from './rules.ts';

/** A copy of what is shipped, to be spoiled. */
let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'listen-gateway-rules-'));
  await cp(PROMETHEUS, copy, { recursive: true });
}, INSTALL_MS);
afterAll(() => rm(copy, { recursive: true, force: true }));

/** Puts another text in the place of one that a file has exactly once, runs, and puts it back. */
async function spoiled<T>(file: string, from: string, to: string, run: () => Promise<T>): Promise<T> {
  const path = join(copy, file);
  const text = await readFile(path, 'utf8');
  expect(text.split(from), `${file} has once: ${from}`).toHaveLength(2);
  await writeFile(
    path,
    text.replace(from, () => to),
  );
  try {
    return await run();
  } finally {
    await writeFile(path, text);
  }
}

describe('promtool', { timeout: 20_000 + INSTALL_MS }, () => {
  it('takes the configuration with its rules, and would not with a word that it does not know', async () => {
    const check = () => promtool(['check', 'config', 'prometheus.yml'], copy);
    const { code, said } = await check();
    expect(code, said).toBe(0);
    expect(said).toContain(`${ALERT_RULES.length} rules found`);
    expect(said).toContain(`${RECORDING_RULES.length} rules found`);
    const word = await spoiled('prometheus.yml', 'refresh_interval: 10s }]\n\n', 'refresh: 10s }]\n\n', check);
    expect(word.code).not.toBe(0);
    const rule = await spoiled('alerts.yaml', 'job:lg_streams_open:ratio > 0.8', 'job:lg_streams_open:ratio >', check);
    expect(rule.code).not.toBe(0);
  });

  it('finds no fault with the rules, nor two that would be one', async () => {
    const check = () => promtool(['check', 'rules', '--lint-fatal', 'recording.yaml', 'alerts.yaml'], copy);
    const { code, said } = await check();
    expect(code, said).toBe(0);
    const twice = await spoiled('alerts.yaml', 'ListenGatewayNotReady\n', 'ListenGatewayRestarting\n', check);
    expect(twice.code).not.toBe(0);
  });

  it.each(RULE_TESTS)('finds that the rules do what tests/%s says, each group in its turn', async (file) => {
    const { code, said } = await promtool(['test', 'rules', join('tests', file)], copy);
    expect(code, said).toBe(0);
    expect(readRuleTests(file).group_eval_order).toEqual(GROUPS);
  });
});

describe('the folder of Prometheus', () => {
  it('holds no file that none of these tests reads', async () => {
    expect((await readdir(PROMETHEUS)).sort()).toEqual(['alerts.yaml', 'prometheus.yml', 'recording.yaml', 'tests']);
    expect((await readdir(join(PROMETHEUS, 'tests'))).sort()).toEqual(RULE_TESTS);
  });
});
