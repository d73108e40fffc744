import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@listen-gateway/testkit';
import { type Fleet, type PublishAnswer, publishAt } from '../e2e/fleet.ts';
import { ComposeInstance } from './compose-instance.ts';
import { runDocker } from './run-docker.ts';

/** How long the image may take to be built where none of its layers is there yet. */
export const BUILD_MS = 600_000;
/** How long the fleet may take to be up and healthy. */
export const UP_MS = 240_000;
export const DOWN_MS = 120_000;

export interface ComposeFleetOptions {
  /** Further files beside this one, over `docker-compose.yml`. */
  readonly files?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const ROOT = join(import.meta.dirname, '..', '..');
const SHIPPED = join(ROOT, 'docker-compose.yml');
const WATCHED = join(import.meta.dirname, 'watched.compose.yml');

/** The stack of `docker-compose.yml`, under a project name, an image tag and ports of its own. */
export class ComposeFleet implements Fleet {
  readonly project = `listen-gateway-test-${process.pid}`;
  readonly image = `listen-gateway:test-${process.pid}`;
  readonly instances: readonly [ComposeInstance, ComposeInstance];
  readonly #files: readonly string[];
  readonly #env: Readonly<Record<string, string>>;

  private constructor(files: readonly string[], env: Readonly<Record<string, string>>) {
    this.#files = files;
    this.#env = env;
    this.instances = [new ComposeInstance(this, 1), new ComposeInstance(this, 2)];
  }

  /** Each `…_PORT` that the files name gets a free one. */
  static async onFreePorts({ files: more = [], env = {} }: ComposeFleetOptions = {}): Promise<ComposeFleet> {
    const files = [SHIPPED, WATCHED, ...more.map((file) => join(import.meta.dirname, file))];
    const names = files.flatMap((file) => readFileSync(file, 'utf8').match(/(?<=\$\{)[A-Z0-9_]+_PORT/g) ?? []);
    const ports: Record<string, string> = {};
    for (const name of new Set(names)) {
      // Nothing listens on those before the fleet is up, so one may come twice.
      while (ports[name] === undefined) {
        const port = String(await freePort());
        if (!Object.values(ports).includes(port)) ports[name] = port;
      }
    }
    return new ComposeFleet(files, { ...ports, ...env });
  }

  port(variable: string): number {
    const port = Number(this.#env[variable]);
    if (Number.isNaN(port)) throw new Error(`no compose file names a port ${variable}`);
    return port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port('GATEWAY_PORT')}/mcp`;
  }

  get publisherUrl(): string {
    return `http://127.0.0.1:${this.port('PUBLISHER_PORT')}`;
  }

  publish(...changes: readonly object[]): Promise<PublishAnswer> {
    return publishAt(this.publisherUrl, changes);
  }

  async restartRedis(): Promise<void> {
    await this.compose(['restart', 'redis']);
  }

  /** Builds the image and starts everything; resolves once all of it is healthy. */
  async up(): Promise<this> {
    // The network of the host, because that of a container may not reach the npm registry where the host does.
    const build = ['build', '--network=host', '--file=deploy/Dockerfile', `--tag=${this.image}`, '.'];
    await runDocker({ args: build, env: { BUILDKIT_PROGRESS: 'plain' }, limitMs: BUILD_MS });
    try {
      await this.compose(['up', '--wait', '--no-build'], UP_MS);
    } catch (failure) {
      throw new Error(`${(failure as Error).message}\n${await this.compose(['logs', '--tail=50', '--no-color'])}`);
    }
    return this;
  }

  /** Runs a sub-command of `docker compose` on this stack. */
  compose(args: readonly string[], limitMs = 90_000): Promise<string> {
    const files = this.#files.map((file) => `--file=${file}`);
    const env = { LISTEN_GATEWAY_IMAGE: this.image, ...this.#env };
    return runDocker({ args: ['compose', '-p', this.project, ...files, ...args], env, limitMs });
  }

  /** The container of a service, whether it runs or not. */
  async container(service: string): Promise<string> {
    return (await this.compose(['ps', '--all', '--quiet', service])).trim();
  }

  /** All that the container of a service has written so far. */
  async log(service: string): Promise<string> {
    // Not by `docker compose logs`, which puts control characters in between.
    return runDocker({ args: ['logs', await this.container(service)], limitMs: 60_000 });
  }

  /** Removes everything that it brought, also what it brought in part. */
  async down(): Promise<void> {
    await this.compose(['down', '--volumes', '--timeout=5', '--remove-orphans']);
    await runDocker({ args: ['image', 'rm', '--force', this.image], limitMs: 30_000 });
  }
}
