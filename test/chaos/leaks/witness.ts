import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What is left in a process once its garbage is collected. */
export interface Remains {
  readonly bytes: number;
  /** Open sockets, its servers' and their clients' alike. */
  readonly sockets: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

// Loaded into a service before its own code (`--import`): prints what is left whenever it gets the signal.
process.on('SIGUSR2', () => void tell());

async function tell(): Promise<void> {
  // Closed handles are let go of in the turns that follow.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate);
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  const remains: Remains = { bytes: heapUsed + external, sockets };
  process.stdout.write(`remains ${JSON.stringify(remains)}\n`);
}
