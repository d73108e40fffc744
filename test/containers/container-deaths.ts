import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { within } from '@listen-gateway/testkit';

/** A container of a compose project that has ended. */
export interface ContainerDeath {
  readonly service: string;
  readonly exitCode: number;
}

/**
 * Tells of each container of a project that ends, also of one that the engine starts again at once and that looks well
 * when somebody looks.
 */
export class ContainerDeaths {
  readonly #child: ChildProcess;

  constructor(project: string, tell: (death: ContainerDeath) => void) {
    const filters = ['event=die', `label=com.docker.compose.project=${project}`].map((filter) => `--filter=${filter}`);
    this.#child = spawn('docker', ['events', ...filters, '--format={{json .Actor.Attributes}}'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const { exitCode, ...attributes } = JSON.parse(line) as Readonly<Record<string, string>>;
      tell({ service: attributes['com.docker.compose.service'] ?? '', exitCode: Number(exitCode) });
    });
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await within(10_000, 'the end of docker events', ended);
  }
}
