import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '@listen-gateway/testkit';

/** Listens with room for one connection that nobody accepts, and says on which port. */
const LISTENER = `
const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  console.log(server.address().port);
});
`;

/** A port at which connections are neither made nor refused, as behind a firewall that drops what it does not like. */
export class DeafPort {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #fillers: readonly Socket[];

  private constructor(url: string, child: ChildProcess, fillers: readonly Socket[]) {
    this.url = url;
    this.#child = child;
    this.#fillers = fillers;
  }

  static async open(): Promise<DeafPort> {
    const child = spawn(process.execPath, ['-e', LISTENER], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await within(10_000, 'the deaf port', once(child.stdout, 'data'));
    const port = Number(String(line));
    child.kill('SIGSTOP');
    // The kernel accepts in place of the stopped process until the backlog is full, and drops what comes after.
    const fillers: Socket[] = [];
    for (let pending = false; !pending; ) {
      if (fillers.length > 20) throw new Error('the backlog never filled up');
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      fillers.push(socket);
      pending = await Promise.race([once(socket, 'connect').then(() => false), delay(300, true)]);
    }
    return new DeafPort(`http://127.0.0.1:${port}/mcp`, child, fillers);
  }

  async close(): Promise<void> {
    for (const socket of this.#fillers) socket.destroy();
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await within(5_000, 'the end of the deaf port', exit);
  }
}
