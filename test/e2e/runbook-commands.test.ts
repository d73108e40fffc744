import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  ensureProgram,
  eventually,
  INSTALL_MS,
  openListen,
  openRedisProcess,
  type RedisProcess,
  type ServiceProcess,
  startService,
  TestIssuer,
  within,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRunbook } from '../guards/runbook-page.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Every line of every block of shell commands in docs/operations, and every command that a sentence quotes. */
const COMMANDS = globSync('docs/operations/*.md', { cwd: ROOT }).flatMap((path) => {
  const { commands, quoted } = readRunbook(path, readFileSync(join(ROOT, path), 'utf8'));
  const lines = commands.flatMap((block) => block.trim().split('\n'));
  const inSentences = quoted.filter((one) => /^(curl|redis-cli) /.test(one));
  return [...lines, ...inSentences].map((command) => [path.replace('docs/operations/', ''), command] as const);
});

let dir: string;
let redis: RedisProcess;
let gateway: ServiceProcess;
let publisher: ServiceProcess;
let issuer: TestIssuer;
let path: string;

beforeAll(async () => {
  const programs = [
    await ensureProgram('redis-cli', { apt: 'redis-tools' }),
    await ensureProgram('jq', { apt: 'jq' }),
    await ensureProgram('curl', { apt: 'curl' }),
  ];
  path = [dirname(process.execPath), ...programs.map((program) => dirname(program)), process.env.PATH].join(':');
  dir = await mkdtemp(join(tmpdir(), 'listen-gateway-runbook-'));
  [redis, issuer] = await Promise.all([openRedisProcess(), TestIssuer.start()]);
  [gateway, publisher] = await Promise.all([
    startService('gateway', { LG_BROKER__URL: redis.url }),
    startService('publisher', { LG_BROKER__URL: redis.url }),
  ]);
  await comeAndGo();
  await writeFile(join(dir, 'both.log'), `${gateway.output}${publisher.output}not JSON\n`);
}, 3 * INSTALL_MS);
afterAll(async () => {
  await Promise.all([gateway.kill(), publisher.kill()]);
  await Promise.all([redis.close(), issuer.close()]);
  await rm(dir, { recursive: true, force: true });
});

/** What leaves something in logs, metrics and Redis to look at; one stream stays. */
async function comeAndGo(): Promise<void> {
  const stream = await openListen(`${gateway.url}/mcp`);
  await (await openListen(`${gateway.url}/mcp`)).next('the acknowledgement');
  const headers = { 'Content-Type': 'application/json' };
  const body = '{"method":"notifications/tools/list_changed"}';
  await fetch(`${publisher.url}/v1/servers/default/changes`, { method: 'POST', headers, body });
  await stream.received(2);
  stream.close();
  await eventually(5_000, 'the end of a stream', () => gateway.output.includes('stream closed'));
}

async function run(command: string) {
  const variables = {
    PATH: path,
    HOME: dir,
    GATEWAY: gateway.url,
    ADMIN: gateway.adminUrl,
    PUBLISHER: publisher.url,
    PUBLISHER_ADMIN: publisher.adminUrl,
    REDIS: redis.url,
    ISSUER: issuer.issuer,
    LOG: join(dir, 'both.log'),
  };
  // What the command writes belongs into the test's own folder.
  const here = command.replace(/> ([\w-]+\.yaml)/, `> ${dir}/$1`);
  const child = spawn('bash', ['-euo', 'pipefail', '-c', here], { cwd: ROOT, env: variables });
  let output = '';
  for (const channel of [child.stdout, child.stderr]) {
    channel.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const [exitCode] = (await within(90_000, 'the end of the command', once(child, 'close'))) as [number];
  return { exitCode, output };
}

describe('the commands of docs/operations', { timeout: 120_000 }, () => {
  it.each(COMMANDS)('run: %s: %s', async (_, command) => {
    const { exitCode, output } = await run(command);

    expect(output).not.toMatch(/not found|syntax error|unknown command|jq: error|No such|\bERR\b/i);
    expect(exitCode, output).toBe(0);
  });

  it('would be found to be misspelt, and to look for what is not there', async () => {
    expect((await run('curl -s $ADMIN/readiness | jq -e .ready')).exitCode).not.toBe(0);
    expect((await run("curl -s $ADMIN/metrics | grep -E '^lg_streams_opne '")).exitCode).not.toBe(0);
    expect((await run('redis-cli -e -u $REDIS PUBSUBS NUMSUB')).exitCode).not.toBe(0);
  });
});
