import { freePort } from '@listen-gateway/testkit';
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';

// The reaper is an image of its own; these tests remove their containers themselves.
process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true';

/** How long a `beforeAll` must allow for an image that is not there yet. */
export const CONTAINER_START_MS = 120_000;

/** A Redis that keeps its data, in a container on a host port that stays the same over a stop. */
export async function startRedisContainer(): Promise<RedisContainer> {
  const port = await freePort();
  const started = await new GenericContainer('redis:7-alpine')
    .withExposedPorts({ container: 6379, host: port })
    .withCommand(['redis-server', '--appendonly', 'yes'])
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
  return new RedisContainer(started, port);
}

/** What an orchestrator does to a container. */
export class RedisContainer {
  readonly url: string;
  readonly #started: StartedTestContainer;

  constructor(started: StartedTestContainer, port: number) {
    this.#started = started;
    this.url = `redis://${started.getHost()}:${port}`;
  }

  async restart(): Promise<void> {
    await (await this.#container()).restart();
  }

  async stop(): Promise<void> {
    await (await this.#container()).stop();
  }

  async start(): Promise<void> {
    await (await this.#container()).start();
  }

  async pause(): Promise<void> {
    await (await this.#container()).pause();
  }

  async unpause(): Promise<void> {
    await (await this.#container()).unpause();
  }

  async remove(): Promise<void> {
    await this.#started.stop();
  }

  async #container() {
    const { container } = await getContainerRuntimeClient();
    return container.getById(this.#started.getId());
  }
}
