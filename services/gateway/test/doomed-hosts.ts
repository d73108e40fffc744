import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { within } from '@listen-gateway/testkit';
import { rawPost } from './raw-host.ts';

/** A process that opens so many streams, says when all are acknowledged, and reads on; argv: port, streams, request. */
const HOSTS = `
const { connect } = require('node:net');
const [port, streams, request] = process.argv.slice(1);
let acknowledged = 0;
for (let index = 0; index < Number(streams); index += 1) {
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(request));
  socket.once('data', () => {
    acknowledged += 1;
    if (acknowledged === Number(streams)) console.log('acknowledged');
  });
}
`;

/** Hosts in a process of their own, which a test kills without warning. */
export class DoomedHosts {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async open(url: string, streams: number): Promise<DoomedHosts> {
    const args = ['-e', HOSTS, new URL(url).port, String(streams), rawPost()];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await within(10_000, `${streams} hosts to be acknowledged`, once(child.stdout, 'data'));
    return new DoomedHosts(child);
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await within(5_000, 'the end of the hosts', exit);
  }
}
