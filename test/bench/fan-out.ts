import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { eventually, freePort, within } from '@listen-gateway/testkit';
import type { HostsOrder, HostsReport } from './hosts.ts';

/**
 * Streams × one change on loopback: how soon the last host has it, what the server's CPU spends on each notification,
 * what a stream costs in memory. Measured, not asserted. `npm run bench:fan-out -- --streams 1000,5000 --rounds 20`.
 *
 * The peer is the official SDK's own listen handler on the same HTTP server, driven by the same hosts in the same run;
 * on a noisy machine only ratios mean something.
 */
interface Target {
  readonly name: string;
  readonly port: number;
  /** Makes one change of the tool list. */
  publish(): Promise<unknown>;
  /** CPU seconds and resident bytes of the server so far. */
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

interface Usage {
  readonly cpuS: number;
  readonly bytes: number;
}

interface Row {
  readonly target: string;
  readonly streams: number;
  readonly 'open µs CPU': string;
  readonly 'KiB per stream': string;
  readonly 'last host ms': string;
  readonly 'max ms': string;
  readonly 'µs CPU per notification': string;
}

const ROOT = join(import.meta.dirname, '..', '..');
const NODE_FLAGS = ['--conditions=listen-gateway', '--max-semi-space-size=4'];

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000,5000' },
    rounds: { type: 'string', default: '20' },
    targets: { type: 'string', default: 'listen-gateway,official-sdk' },
  },
});

const rows: Row[] = [];
for (const streams of values.streams.split(',').map(Number)) {
  for (const name of values.targets.split(',')) {
    const target = await (name === 'official-sdk' ? startOfficialSdk() : startListenGateway());
    try {
      rows.push(await measure(target, streams, Number(values.rounds)));
    } finally {
      await target.stop();
    }
  }
}
console.table(rows);

async function measure(target: Target, streams: number, rounds: number): Promise<Row> {
  const hosts = fork(join(import.meta.dirname, 'hosts.ts'), { execArgv: ['--conditions=listen-gateway'] });
  const idle = await target.usage();
  await order(hosts, { type: 'open', port: target.port, streams, id: 'listen:0' }, 'opened');
  const opened = await target.usage();
  const lastMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await order(hosts, { type: 'expect' }, 'expecting');
    const received = report(hosts, 'received');
    const publishedAt = performance.timeOrigin + performance.now();
    await target.publish();
    lastMs.push((await received).lastAt - publishedAt);
  }
  // Over all rounds: asking for it costs CPU itself.
  const { cpuS } = await target.usage();
  await order(hosts, { type: 'close' }, 'closed');
  hosts.kill();
  return {
    target: target.name,
    streams,
    'open µs CPU': (((opened.cpuS - idle.cpuS) / streams) * 1e6).toFixed(0),
    'KiB per stream': ((opened.bytes - idle.bytes) / streams / 1024).toFixed(1),
    'last host ms': median(lastMs).toFixed(1),
    'max ms': Math.max(...lastMs).toFixed(1),
    'µs CPU per notification': (((cpuS - opened.cpuS) / streams / rounds) * 1e6).toFixed(2),
  };
}

async function startListenGateway(): Promise<Target> {
  const [port, publisherPort, adminPort] = [await freePort(), await freePort(), await freePort()];
  const child = start('services/standalone/src/main.ts', {
    LG_LISTEN__PORT: String(port),
    LG_PUBLISHER__PORT: String(publisherPort),
    LG_ADMIN__PORT: String(adminPort),
    LG_SAMPLE__ENABLED: 'false',
    LG_LOG__LEVEL: 'warn',
  });
  await answers(`http://127.0.0.1:${adminPort}/readyz`);
  return {
    name: 'listen-gateway',
    port,
    publish: () =>
      post(`http://127.0.0.1:${publisherPort}/v1/servers/default/changes`, {
        method: 'notifications/tools/list_changed',
      }),
    usage: () => usageOf(`http://127.0.0.1:${adminPort}/metrics`, 'lg_'),
    stop: () => stop(child),
  };
}

async function startOfficialSdk(): Promise<Target> {
  const [port, controlPort] = [await freePort(), await freePort()];
  const child = start('test/bench/official-sdk.ts', { PORT: String(port), CONTROL_PORT: String(controlPort) });
  await answers(`http://127.0.0.1:${controlPort}/metrics`);
  return {
    name: 'official-sdk',
    port,
    publish: () => post(`http://127.0.0.1:${controlPort}/publish`, {}),
    usage: () => usageOf(`http://127.0.0.1:${controlPort}/metrics`, ''),
    stop: () => stop(child),
  };
}

function start(main: string, env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [...NODE_FLAGS, join(ROOT, main)], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await within(5_000, 'the end of the server', once(child, 'exit'));
}

async function answers(url: string): Promise<void> {
  await eventually(20_000, url, () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

async function post(url: string, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  await response.arrayBuffer();
}

async function usageOf(url: string, prefix: string): Promise<Usage> {
  const text = await (await fetch(url)).text();
  const value = (name: string) => Number(new RegExp(`^${prefix}${name} (\\S+)`, 'm').exec(text)?.[1]);
  return { cpuS: value('process_cpu_seconds_total'), bytes: value('process_resident_memory_bytes') };
}

function order<Type extends HostsReport['type']>(hosts: ChildProcess, sent: HostsOrder, answer: Type) {
  const answered = report(hosts, answer);
  hosts.send(sent);
  return answered;
}

function report<Type extends HostsReport['type']>(
  hosts: ChildProcess,
  type: Type,
): Promise<HostsReport & { readonly type: Type }> {
  const heard = new Promise<HostsReport & { readonly type: Type }>((resolve) => {
    const listen = (message: HostsReport) => {
      if (message.type !== type) return;
      hosts.off('message', listen);
      resolve(message as HostsReport & { readonly type: Type });
    };
    hosts.on('message', listen);
  });
  return within(120_000, `hosts to have ${type}`, heard);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
