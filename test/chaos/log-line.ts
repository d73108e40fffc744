import type { WorldRecord } from './records.ts';

/** What a line of an instance's log tells that hosts cannot see, at this time; most tell nothing. */
export function recordOfLogLine(line: string, instance: string, at: number): WorldRecord | undefined {
  if (line.includes('"stream closed"')) {
    const { reason } = JSON.parse(line) as { readonly reason: string };
    return { type: 'closed', at, instance, reason };
  }
  if (line.includes('"journal does not reach back to the last change seen"')) {
    const { serverId } = JSON.parse(line) as { readonly serverId: string };
    return { type: 'gap', at, instance, server: serverId };
  }
  if (line.includes('"caught up from the journal"')) {
    const { serverId, missed } = JSON.parse(line) as { readonly serverId: string; readonly missed: number };
    return { type: 'caught-up', at, instance, server: serverId, missed };
  }
  return undefined;
}
