import { fileURLToPath } from 'node:url';
import { INSTALL_MS } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Composition, openComposition } from './composition.ts';
import { runOfficialSuite, SUITE_MS } from './official-suite.ts';

const baseline = (name: string) => fileURLToPath(new URL(`${name}.baseline.yaml`, import.meta.url));
const exact = { missing: [], unexpected: [], stale: [] };
let composition: Composition | undefined;

beforeAll(async () => {
  composition = await openComposition();
}, INSTALL_MS);

afterAll(() => composition?.close());

describe('the official suite', { timeout: SUITE_MS + 10_000 }, () => {
  it('passes whole against one instance', async () => {
    const run = await runOfficialSuite(composition!.gatewayUrl, baseline('gateway'));
    expect(run.verdict).toEqual(exact);
    expect(run.exitCode, run.output).toBe(0);
  });

  it('passes whole where no change is made at the instance that holds the stream (INS-01)', async () => {
    const run = await runOfficialSuite(composition!.apartUrl, baseline('gateway'));
    expect(run.verdict).toEqual(exact);
    expect(run.exitCode, run.output).toBe(0);
  });

  it('passes whole where a load balancer sends the listens to the gateway and the rest to the server', async () => {
    const run = await runOfficialSuite(composition!.routedUrl, baseline('gateway'));
    expect(run.verdict).toEqual(exact);
    expect(run.exitCode, run.output).toBe(0);
  });
});
