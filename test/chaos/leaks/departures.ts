import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { within } from '@listen-gateway/testkit';
import type { DeparturesOrder } from './departing-hosts.ts';

/** Has so many hosts come and leave as they are told to, in a process of their own; resolves once the last has left. */
export async function depart(order: DeparturesOrder): Promise<void> {
  const child = fork(join(import.meta.dirname, 'departing-hosts.ts'), { execArgv: ['--conditions=listen-gateway'] });
  const exit = once(child, 'exit');
  try {
    child.send(order);
    const [answer] = await within(
      90_000,
      `${order.streams} hosts to leave by ${order.departure}`,
      once(child, 'message'),
    );
    if (answer !== 'done') throw new Error(String(answer));
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}
