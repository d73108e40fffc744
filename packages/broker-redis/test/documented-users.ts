import { readFile } from 'node:fs/promises';
import type { Redis } from '@listen-gateway/testkit';

/** Creates users of docs/redis.md on every node, by the very lines that stand there; their password is `secret`. */
export async function createDocumentedUsers(nodes: readonly Redis[], ...users: string[]): Promise<void> {
  const text = await readFile(new URL('../../../docs/redis.md', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => users.some((user) => line.startsWith(`ACL SETUSER ${user} `)));
  if (lines.length < users.length) throw new Error(`docs/redis.md does not name ${users.join(' and ')}`);
  for (const node of nodes) for (const line of lines) await node.cli(...line.split(' '));
}

/** What Redis refused to the users so far. */
export async function refusals(nodes: readonly Redis[]): Promise<unknown[]> {
  return (await Promise.all(nodes.map((node) => node.cli('ACL', 'LOG')))).flat();
}
