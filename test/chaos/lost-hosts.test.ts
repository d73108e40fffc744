import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import {
  ensureProgram,
  eventually,
  INSTALL_MS,
  LISTEN_HEADERS,
  listenBody,
  type ServiceProcess,
  startService,
  within,
} from '@listen-gateway/testkit';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

const KEEPALIVE_MS = 1_000;
const run = promisify(execFile);

/** Packets of one host's port are dropped, both ways, without a word to anybody: a cable that was pulled. */
class PulledCable {
  readonly #rules: string[][];

  constructor(port: number, hostPort: number) {
    const ends = [
      ['--sport', String(port), '--dport', String(hostPort)],
      ['--sport', String(hostPort), '--dport', String(port)],
    ];
    this.#rules = ends.map((end) => ['INPUT', '-i', 'lo', '-p', 'tcp', ...end, '-j', 'DROP']);
  }

  async pull(): Promise<void> {
    for (const rule of this.#rules) await run('iptables', ['-w', '-A', ...rule]);
  }

  async plugIn(): Promise<void> {
    for (const rule of this.#rules) await run('iptables', ['-w', '-D', ...rule]).catch(() => {});
  }
}

describe('a host whose cable is pulled', () => {
  let gateway: ServiceProcess;
  let cable: PulledCable | undefined;
  beforeAll(async () => {
    await ensureProgram('iptables', { apt: 'iptables' });
  }, INSTALL_MS);
  afterEach(async () => {
    await cable?.plugIn();
    await gateway.kill();
  });

  it('is gone within two keepalives, and those that are still there are not (FIELD C13)', async () => {
    gateway = await startService('gateway', { LG_STREAM__KEEPALIVE_MS: String(KEEPALIVE_MS) });
    const [lost, well] = [await listen(gateway.port), await listen(gateway.port)];
    expect(await gateway.metric('lg_streams_open')).toBe(2);

    cable = new PulledCable(gateway.port, lost);
    await cable.pull();

    // Two keepalives, and what a busy machine needs to notice.
    const open = async () => (await gateway.metric('lg_streams_open')) === 1;
    await eventually(2 * KEEPALIVE_MS + 3_000, 'the lost host to be given up', open);
    expect(await gateway.metric('lg_hosts_lost_total')).toBe(1);
    expect(await gateway.metric('lg_streams_closed_total{reason="host-gone"}')).toBe(1);
    expect(well).not.toBe(lost);
  });
});

/** Opens a stream and answers the port that its host has. */
async function listen(port: number): Promise<number> {
  const body = listenBody(1, { toolsListChanged: true });
  const headers = { Host: 'localhost', ...LISTEN_HEADERS, 'Content-Length': String(body.length) };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  const acknowledged = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      if (chunk.includes('acknowledged')) resolve();
    });
  });
  await within(5_000, 'the acknowledgement', acknowledged);
  return socket.localPort ?? 0;
}
