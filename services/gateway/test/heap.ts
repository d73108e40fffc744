import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that live in this process once its garbage is collected: what is left of what a test did. */
export async function liveBytes(): Promise<number> {
  // Closed handles are let go of in the turns that follow.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate);
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export const MIB = 1_048_576;
