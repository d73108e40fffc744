import { fileURLToPath } from 'node:url';
import { startSampleServer } from '@listen-gateway/service-sample-server';
import { expect, it } from 'vitest';
import { runOfficialSuite, SUITE_MS } from './official-suite.ts';

const baselineFile = fileURLToPath(new URL('sample-server.baseline.yaml', import.meta.url));

it('the sample server passes the official suite by itself, so that what fails behind the gateway is the gateway', {
  timeout: SUITE_MS + 10_000,
}, async () => {
  const server = await startSampleServer({ host: '127.0.0.1', port: 0, serverId: 'sample' });
  try {
    const run = await runOfficialSuite(server.url, baselineFile);
    expect(run.verdict).toEqual({ missing: [], unexpected: [], stale: [] });
    expect(run.exitCode, run.output).toBe(0);
  } finally {
    await server.close();
  }
});
