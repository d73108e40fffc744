import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram, eventually, freePort, within } from '@listen-gateway/testkit';
import { readShipped } from '../deploy/repository.ts';
import { PROMETHEUS } from './promtool.ts';

/** The addresses to scrape, by job. */
export type Targets = Readonly<Record<'gateway' | 'publisher', readonly string[]>>;

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Starts a real Prometheus on the shipped configuration, which asks these targets and its rules every second. */
export async function openPrometheus(targets: Targets): Promise<PrometheusProcess> {
  const program = await ensureProgram('prometheus', { apt: 'prometheus' });
  const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-prometheus-'));
  await cp(PROMETHEUS, dir, { recursive: true });
  await writeFile(join(dir, 'prometheus.yml'), hastened(readShipped('deploy/prometheus/prometheus.yml'), targets));
  const port = await freePort();
  const args = [
    `--config.file=${join(dir, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(dir, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const prometheus = new PrometheusProcess(dir, port, spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] }));
  try {
    await prometheus.ready();
  } catch (error) {
    await prometheus.close();
    throw error;
  }
  return prometheus;
}

/** A running Prometheus. */
export class PrometheusProcess {
  readonly #dir: string;
  readonly #url: string;
  readonly #child: ChildProcess;
  #output = '';

  constructor(dir: string, port: number, child: ChildProcess) {
    this.#dir = dir;
    this.#url = `http://127.0.0.1:${port}`;
    this.#child = child;
    child.stderr?.on('data', (chunk) => {
      this.#output += String(chunk);
    });
    process.once('exit', this.#killNow);
  }

  async ready(): Promise<void> {
    await eventually(60_000, 'Prometheus to be ready', async () => {
      if (this.#child.exitCode !== null) throw new Error(`Prometheus ended:\n${this.#output}`);
      return fetch(`${this.#url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  }

  /** What a query has for an answer now; a value that is no number is left out. */
  async query(expr: string): Promise<readonly Sample[]> {
    const { result } = (await this.api(`query?query=${encodeURIComponent(expr)}`)) as {
      readonly result: readonly { readonly metric: Sample['metric']; readonly value: readonly [number, string] }[];
    };
    const samples = result.map(({ metric, value: [, text] }) => ({ metric, value: Number(text) }));
    return samples.filter(({ value }) => !Number.isNaN(value));
  }

  /** The `data` of what the API answers. */
  async api(path: string): Promise<unknown> {
    const answer = (await (await fetch(`${this.#url}/api/v1/${path}`)).json()) as {
      readonly status: string;
      readonly error?: string;
      readonly data: unknown;
    };
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`);
    return answer.data;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM');
      await within(20_000, 'the end of Prometheus', once(this.#child, 'exit')).catch(this.#killNow);
    }
    process.off('exit', this.#killNow);
    await rm(this.#dir, { recursive: true, force: true });
  }

  readonly #killNow = () => this.#child.kill('SIGKILL');
}

function hastened(config: string, targets: Targets): string {
  let text = config.replace(/(scrape_interval|scrape_timeout|evaluation_interval): \d+s/g, '$1: 1s');
  for (const [job, addresses] of Object.entries(targets)) {
    const discovered = new RegExp(`dns_sd_configs: .*names: \\[${job}\\].*`);
    if (!discovered.test(text)) throw new Error(`prometheus.yml does not look for ${job}`);
    text = text.replace(discovered, `static_configs: [{ targets: ${JSON.stringify(addresses)} }]`);
  }
  return text;
}
