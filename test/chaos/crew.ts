import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { within } from '@listen-gateway/testkit';
import type { CrowdSetting, HostsCount, HostsOrder } from './crowd.ts';
import type { BackendsOrder, BackendsReport, Flood, TrafficSetting } from './traffic.ts';

/** The process of the hosts, as its driver sees it. */
export class Hosts {
  readonly recordsPath: string;
  readonly #child: ChildProcess;

  constructor(setting: CrowdSetting, recordsPath: string) {
    this.recordsPath = recordsPath;
    this.#child = forkScript('hosts.ts');
    this.order({ type: 'start', recordsPath, ...setting });
  }

  order(order: HostsOrder): void {
    this.#child.send(order);
  }

  /** How many streams are open now. */
  async streaming(): Promise<number> {
    this.order({ type: 'count' });
    const [count] = (await within(20_000, 'the hosts to count', once(this.#child, 'message'))) as [HostsCount];
    return count.streaming;
  }

  async close(): Promise<void> {
    await end(this.#child, () => this.order({ type: 'stop' }));
  }
}

/** The process of the backends, as its driver sees it. */
export class Backends {
  readonly recordsPath: string;
  readonly #child: ChildProcess;

  constructor(setting: TrafficSetting, recordsPath: string) {
    this.recordsPath = recordsPath;
    this.#child = forkScript('backends.ts');
    this.order({ type: 'start', recordsPath, ...setting });
  }

  order(order: BackendsOrder): void {
    this.#child.send(order);
  }

  /** Resolves once all of it was accepted. */
  async flood(flood: Flood): Promise<void> {
    const flooded = this.#reported('flooded');
    this.order({ type: 'flood', ...flood });
    await within(60_000, 'the flood to be published', flooded);
  }

  async close(): Promise<void> {
    if (this.#child.connected) {
      const stopped = this.#reported('stopped');
      this.order({ type: 'stop' });
      await within(20_000, 'the backends to stop', stopped);
    }
    await end(this.#child, () => this.#child.disconnect());
  }

  async #reported(what: BackendsReport): Promise<void> {
    for (;;) {
      const [report] = (await once(this.#child, 'message')) as [BackendsReport];
      if (report === what) return;
    }
  }
}

function forkScript(name: string): ChildProcess {
  const child = fork(join(import.meta.dirname, name), { execArgv: ['--conditions=listen-gateway'] });
  // A fork ends with its driver: both scripts exit where the channel closes.
  return child;
}

async function end(child: ChildProcess, stop: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  if (child.connected) stop();
  try {
    await within(10_000, `the end of ${child.spawnargs.at(-1)}`, exit);
  } catch (cause) {
    child.kill('SIGKILL');
    throw cause;
  }
}
