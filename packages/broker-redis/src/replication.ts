/** What a server's `INFO replication` says that matters here. */
export interface Replication {
  readonly isMaster: boolean;
  /**
   * Names the history of its data: another one after every restart and every failover, since either may have lost what
   * was accepted last. Empty where a proxy hides it.
   */
  readonly history: string;
}

export function readReplication(info: string): Replication {
  const field = (name: string) => new RegExp(`^${name}:(\\S*)`, 'm').exec(info)?.[1] ?? '';
  return { isMaster: field('role') !== 'slave', history: field('master_replid') };
}
