import type { FleetInstance } from '../e2e/fleet.ts';
import type { ComposeFleet } from './compose-fleet.ts';
import { runDocker } from './run-docker.ts';

/** A gateway of the compose stack, asked past the load balancer. */
export class ComposeInstance implements FleetInstance {
  /** Of the service, and of the instance in a campaign. */
  readonly name: string;
  readonly #fleet: ComposeFleet;
  readonly #variable: string;

  constructor(fleet: ComposeFleet, number: 1 | 2) {
    this.name = `gateway-${number}`;
    this.#fleet = fleet;
    this.#variable = `GATEWAY_${number}`;
  }

  get port(): number {
    return this.#fleet.port(`${this.#variable}_PORT`);
  }

  get adminUrl(): string {
    return `http://127.0.0.1:${this.#fleet.port(`${this.#variable}_ADMIN_PORT`)}`;
  }

  async streams(): Promise<number> {
    const text = await (await fetch(`${this.adminUrl}/metrics`)).text();
    return Number(/^lg_streams_open (\d+)$/m.exec(text)?.[1]);
  }

  async restart(): Promise<number> {
    await this.#fleet.compose(['stop', this.name]);
    const exit = await this.exitCode();
    await this.start();
    return exit;
  }

  /** Starts it, or makes it anew where it was removed; resolves once it is healthy. */
  async start(): Promise<void> {
    await this.#fleet.compose(['up', '--wait', '--no-build', '--no-deps', this.name]);
  }

  /** Once it has stopped. */
  async exitCode(): Promise<number> {
    const line = await this.#fleet.compose(['ps', '--all', '--format', 'json', this.name]);
    const { State, ExitCode } = JSON.parse(line) as { readonly State: string; readonly ExitCode: number };
    if (State !== 'exited') throw new Error(`${this.name} is ${State}`);
    return ExitCode;
  }

  /** Where nginx finds it now. */
  async address(): Promise<string> {
    const id = await this.#fleet.container(this.name);
    const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
    return (await runDocker({ args: ['inspect', '--format', format, id], limitMs: 30_000 })).trim();
  }
}
