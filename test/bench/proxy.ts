import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startService, within } from '@listen-gateway/testkit';
import type { BarePort } from './proxy-bare.ts';
import type { HostsOrder, HostsReport } from './proxy-hosts.ts';
import type { Tool, UpstreamConnections, UpstreamOrder, UpstreamPorts } from './proxy-upstream.ts';

/**
 * What a tools/call costs through the gateway and through a bare undici pass-through, to the same upstream, by the same
 * hosts, in rounds that take turns: the drift of a noisy machine falls on both, and ratios are those of neighbours.
 * Measured, not asserted. `npm run bench:proxy -- --rounds 9 --tools echo --connections 1,32`.
 *
 * Look at latency with one connection, where nothing waits for anything else, and at requests/s with many, where the proxy's
 * CPU is what there is too little of.
 */
interface Way {
  readonly name: 'gateway' | 'bare' | 'direct';
  readonly port: number;
  /** The process whose CPU time is counted; 0 where there is none in between. */
  readonly pid: number;
  stop(): Promise<unknown>;
}

interface Shape {
  readonly tool: Tool;
  readonly connections: number;
}

interface Round extends HostsReport {
  readonly perS: number;
  readonly cpuUs: number;
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    tools: { type: 'string', default: 'echo,wait,count' },
    connections: { type: 'string', default: '1,32' },
    ways: { type: 'string', default: 'gateway,bare,direct' },
    'requests-per-round': { type: 'string', default: '1500' },
    'argument-bytes': { type: 'string', default: '200' },
    // Such as `--gateway-options='--cpu-prof --cpu-prof-dir=profiles'`.
    'gateway-options': { type: 'string', default: '' },
  },
});
const WARM_UP_REQUESTS = 4_000;

const upstream = start('proxy-upstream.ts');
const [gatewayUpstream, barePort, directPort] = (await heard<UpstreamPorts>(upstream, 'listening')).ports;
const startWay = {
  gateway: startListenGateway,
  bare: startBare,
  direct: async (): Promise<Way> => ({ name: 'direct', port: directPort ?? 0, pid: 0, stop: async () => {} }),
};
const ways: Way[] = [];
for (const name of values.ways.split(',') as Way['name'][]) ways.push(await startWay[name]());
const hosts = start('proxy-hosts.ts');
try {
  const shapes = values.tools
    .split(',')
    .flatMap((tool) => values.connections.split(',').map((n) => ({ tool: tool as Tool, connections: Number(n) })));
  // Until what runs often is compiled.
  for (const way of ways) for (const shape of shapes) await run({ ...shape, connections: 32 }, way, WARM_UP_REQUESTS);
  const measured = [];
  for (const shape of shapes) measured.push({ shape, rounds: await takeTurns(shape, Number(values.rounds)) });
  console.table(measured.flatMap(({ shape, rounds }) => ways.map((way) => row(shape, way, rounds))));
  console.table(measured.flatMap(({ shape, rounds }) => ratios(shape, rounds)));
  const { made } = await ask<UpstreamOrder, UpstreamConnections>(upstream, { type: 'connections' }, 'connections');
  console.log(`Connections made to the upstream: ${made[0]} by the gateway, ${made[1]} by the bare pass-through.`);
} finally {
  for (const way of ways) await way.stop();
  await stop(hosts);
  await stop(upstream);
}

/** Every second round goes the other way round. */
async function takeTurns(shape: Shape, rounds: number): Promise<Map<Way, Round[]>> {
  const taken = new Map<Way, Round[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) taken.get(way)?.push(await run(shape, way));
  }
  return taken;
}

async function run(shape: Shape, { port, pid }: Way, requests = Number(values['requests-per-round'])): Promise<Round> {
  const before = cpuUsOf(pid);
  const order = { type: 'call', port, requests, argumentBytes: Number(values['argument-bytes']), ...shape } as const;
  const called = await ask<HostsOrder, HostsReport>(hosts, order, 'called');
  return { ...called, perS: (requests / called.tookMs) * 1_000, cpuUs: (cpuUsOf(pid) - before) / requests };
}

function row({ tool, connections }: Shape, way: Way, taken: ReadonlyMap<Way, readonly Round[]>) {
  const rounds = taken.get(way) ?? [];
  const middle = (member: 'perS' | 'p50Us' | 'p90Us' | 'p99Us') =>
    median(rounds.map((round) => round[member])).toFixed(0);
  const cpuUs = rounds.reduce((sum, round) => sum + round.cpuUs, 0) / rounds.length;
  return {
    tool,
    connections,
    way: way.name,
    'requests/s': middle('perS'),
    'p50 µs': middle('p50Us'),
    'p90 µs': middle('p90Us'),
    'p99 µs': middle('p99Us'),
    'µs CPU per request': way.pid === 0 ? '' : cpuUs.toFixed(0),
  };
}

/** Medians of what each round of the gateway's was to the bare round next to it. */
function ratios({ tool, connections }: Shape, taken: ReadonlyMap<Way, readonly Round[]>) {
  const [gateway, bare] = ['gateway', 'bare'].map((name) => taken.get(ways.find((way) => way.name === name) as Way));
  if (gateway === undefined || bare === undefined) return [];
  const ratio = (member: 'perS' | 'p50Us' | 'p90Us' | 'p99Us' | 'cpuUs') =>
    median(gateway.map((round, at) => round[member] / (bare[at]?.[member] ?? Number.NaN))).toFixed(2);
  return [
    {
      tool,
      connections,
      'gateway / bare': 'median',
      'requests/s': ratio('perS'),
      p50: ratio('p50Us'),
      p90: ratio('p90Us'),
      p99: ratio('p99Us'),
      CPU: ratio('cpuUs'),
    },
  ];
}

async function startListenGateway(): Promise<Way> {
  const service = await startService('gateway', {
    NODE_OPTIONS: `--max-semi-space-size=4 ${values['gateway-options']}`,
    LG_SERVERS: JSON.stringify({ default: { upstream: { url: `http://127.0.0.1:${gatewayUpstream}/mcp` } } }),
  });
  const end = async () => {
    service.signal('SIGTERM');
    await service.ended();
  };
  return { name: 'gateway', port: service.port, pid: service.pid, stop: end };
}

async function startBare(): Promise<Way> {
  const child = start('proxy-bare.ts', String(barePort));
  const { port } = await heard<BarePort>(child, 'listening');
  return { name: 'bare', port, pid: child.pid ?? 0, stop: () => stop(child) };
}

function start(main: string, ...args: string[]): ChildProcess {
  const execArgv = ['--conditions=listen-gateway', '--max-semi-space-size=4'];
  return fork(join(import.meta.dirname, main), args, { execArgv });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGKILL');
  await within(5_000, 'the end of a process', once(child, 'exit'));
}

function ask<Order extends object, Report extends { readonly type: string }>(
  child: ChildProcess,
  order: Order,
  answer: Report['type'],
): Promise<Report> {
  const answered = heard<Report>(child, answer);
  child.send(order);
  return answered;
}

/** The next message of a process; rejects where it ends instead. */
async function heard<Report extends { readonly type: string }>(
  child: ChildProcess,
  type: Report['type'],
): Promise<Report> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(([code]) => Promise.reject(new Error(`ended with ${code}`)));
  try {
    const [report] = await within(120_000, type, Promise.race([once(child, 'message', { signal }), ended]));
    return report;
  } finally {
    over.abort();
  }
}

/** CPU time of a process so far, all threads, in microseconds; /proc counts it in ticks of 10 ms. */
function cpuUsOf(pid: number): number {
  if (pid === 0) return 0;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
