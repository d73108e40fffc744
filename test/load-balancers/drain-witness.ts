import { setTimeout as delay } from 'node:timers/promises';
import type { FrontProcess } from '@listen-gateway/testkit';
import { toolCall } from './calls.ts';
import type { FrontAnswer } from './front-answer.ts';
import { FrontHost, type HttpVersion } from './front-host.ts';

/** A host that holds streams, calls tools and listens anew, and writes down what it is answered. */
export class DrainWitness {
  readonly front: FrontProcess;
  /** The streams that it holds from before. */
  readonly held: readonly FrontAnswer[];
  /** What it was answered to calls and to listens. */
  readonly answers = { calls: [] as number[], listens: [] as number[] };
  /** The ids of its calls, which no other witness uses. */
  readonly ids: string[] = [];
  readonly #name: string;
  readonly #host: FrontHost;
  #asking: Promise<void> | undefined;
  #over = false;

  private constructor(name: string, front: FrontProcess, host: FrontHost, held: readonly FrontAnswer[]) {
    this.#name = name;
    this.front = front;
    this.#host = host;
    this.held = held;
  }

  static async open(name: string, front: FrontProcess, ca: string, version: HttpVersion): Promise<DrainWitness> {
    const host = await FrontHost.connect(front.url, ca, version);
    const held = await Promise.all(Array.from({ length: 4 }, (_, id) => host.listen(`held-${id}`)));
    await Promise.all(held.map((stream) => stream.received(1)));
    return new DrainWitness(name, front, host, held);
  }

  /** One new listen, given up at once. */
  async listens(): Promise<FrontAnswer> {
    const stream = await this.#host.listen();
    stream.leave();
    return stream;
  }

  /** Calls and listens in turn, until `rest`. */
  startAsking(): void {
    this.#asking = this.#ask();
    // Told where it is awaited, and not before.
    this.#asking.catch(() => {});
  }

  async rest(): Promise<void> {
    this.#over = true;
    await this.#asking;
  }

  close(): void {
    this.#over = true;
    this.#host.close();
  }

  async #ask(): Promise<void> {
    while (!this.#over) {
      const id = `${this.#name} ${this.ids.length}`;
      this.ids.push(id);
      const answer = await this.#host.post(...toolCall(id));
      await answer.whole();
      this.answers.calls.push(answer.status);
      this.answers.listens.push((await this.listens()).status);
      // The pace of a host that is busy, not that of a load generator.
      await delay(20);
    }
  }
}
