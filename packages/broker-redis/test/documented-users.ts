import { readFile } from 'node:fs/promises';
import type { Redis } from '@listen-gateway/testkit';

/** Creates the users of docs/redis.md on every node, by the very lines that stand there; their password is `secret`. */
export async function createDocumentedUsers(nodes: readonly Redis[]): Promise<void> {
  const text = await readFile(new URL('../../../docs/redis.md', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line.startsWith('ACL SETUSER'));
  if (lines.length === 0) throw new Error('docs/redis.md names no users');
  for (const node of nodes) for (const line of lines) await node.cli(...line.split(' '));
}

/** What Redis refused to the users so far. */
export async function refusals(nodes: readonly Redis[]): Promise<unknown[]> {
  return (await Promise.all(nodes.map((node) => node.cli('ACL', 'LOG')))).flat();
}
