import { freePort } from '@listen-gateway/testkit';
import { runDocker } from './run-docker.ts';

/** How long the image may take to be built where none of its layers is there yet. */
export const BUILD_MS = 600_000;
/** How long the fleet may take to be up and healthy. */
export const UP_MS = 180_000;

export interface ComposePorts {
  readonly gateway: number;
  readonly publisher: number;
  readonly sample: number;
}

/** The stack of `docker-compose.yml`, under a project name, an image tag and ports of its own. */
export class ComposeFleet {
  readonly ports: ComposePorts;
  readonly #project = `listen-gateway-test-${process.pid}`;
  readonly #image = `listen-gateway:test-${process.pid}`;

  constructor(ports: ComposePorts) {
    this.ports = ports;
  }

  static async onFreePorts(): Promise<ComposeFleet> {
    return new ComposeFleet({ gateway: await freePort(), publisher: await freePort(), sample: await freePort() });
  }

  /** Builds the image and starts everything; resolves once all of it is healthy. */
  async up(): Promise<void> {
    // The network of the host, because that of a container may not reach the npm registry where the host does.
    const build = ['build', '--network=host', '--file=deploy/Dockerfile', `--tag=${this.#image}`, '.'];
    await runDocker({ args: build, env: { BUILDKIT_PROGRESS: 'plain' }, limitMs: BUILD_MS });
    try {
      await this.compose(['up', '--wait', '--no-build'], UP_MS);
    } catch (failure) {
      throw new Error(`${(failure as Error).message}\n${await this.compose(['logs', '--tail=50', '--no-color'])}`);
    }
  }

  /** Runs a sub-command of `docker compose` on this stack. */
  compose(args: readonly string[], limitMs = 60_000): Promise<string> {
    const env = {
      LISTEN_GATEWAY_IMAGE: this.#image,
      GATEWAY_PORT: String(this.ports.gateway),
      PUBLISHER_PORT: String(this.ports.publisher),
      SAMPLE_PORT: String(this.ports.sample),
    };
    return runDocker({ args: ['compose', '-p', this.#project, ...args], env, limitMs });
  }

  /** The exit code of a service that has stopped. */
  async exitCode(service: string): Promise<number> {
    const line = await this.compose(['ps', '--all', '--format', 'json', service]);
    const { State, ExitCode } = JSON.parse(line) as { readonly State: string; readonly ExitCode: number };
    if (State !== 'exited') throw new Error(`${service} is ${State}`);
    return ExitCode;
  }

  /** Removes everything that it brought, also what it brought in part. */
  async down(): Promise<void> {
    await this.compose(['down', '--volumes', '--timeout=5', '--remove-orphans']);
    await runDocker({ args: ['image', 'rm', '--force', this.#image], limitMs: 30_000 });
  }
}
