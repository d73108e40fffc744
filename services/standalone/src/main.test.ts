import { type ChildProcess, spawn } from 'node:child_process';
import {
  ensureProgram,
  eventually,
  freePort,
  INSTALL_MS,
  type ServiceProcess,
  startService,
} from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A shell that runs one of the printed lines, and what it printed so far. */
class Terminal {
  output = '';
  readonly child: ChildProcess;

  constructor(line: string) {
    this.child = spawn('sh', ['-c', `exec ${line}`], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.child.stdout?.on('data', (chunk) => {
      this.output += String(chunk);
    });
  }

  shows(text: string): Promise<void> {
    return eventually(10_000, `${JSON.stringify(text)} after ${this.output}`, () => this.output.includes(text));
  }
}

describe('the standalone process', () => {
  let standalone: ServiceProcess;
  let lines: readonly string[];
  const terminals: Terminal[] = [];
  const open = (line: string | undefined) => {
    const terminal = new Terminal(line ?? 'false');
    terminals.push(terminal);
    return terminal;
  };

  beforeAll(async () => {
    await ensureProgram('curl', { apt: 'curl' });
    standalone = await startService('standalone', {
      LG_PUBLISHER__PORT: String(await freePort()),
      LG_SAMPLE__PORT: String(await freePort()),
    });
    const printed = standalone.output.replaceAll('\\\n', ' ').split('\n');
    lines = printed.map((line) => line.trim()).filter((line) => line.startsWith('curl '));
  }, INSTALL_MS);
  afterAll(async () => {
    for (const { child } of terminals) child.kill('SIGKILL');
    await standalone.kill();
  });

  it('prints three lines by which a newcomer sees a change arrive, without any configuration', async () => {
    expect(lines).toHaveLength(3);
    const [listen, publish, addTool] = lines;
    const host = open(listen);
    await host.shows('notifications/subscriptions/acknowledged');

    await open(publish).shows('"journalId"');
    await host.shows('notifications/tools/list_changed');

    await open(addTool).shows('deploy');
    const told = () => host.output.split('notifications/tools/list_changed').length - 1;
    await eventually(10_000, 'the change that the sample server published', () => told() === 2);
  });

  it('ends its streams with the result at SIGTERM, and exits with 0', async () => {
    const host = open(lines[0]);
    await host.shows('notifications/subscriptions/acknowledged');

    standalone.signal('SIGTERM');

    await host.shows('"resultType":"complete"');
    expect(await standalone.ended()).toBe(0);
    expect(standalone.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
