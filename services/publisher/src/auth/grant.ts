import { type ChangeKind, NOTIFICATION_METHODS, type ServerId } from '@listen-gateway/protocol';

/** What a publisher may do on a server: publish one kind of change, or disconnect principals. */
export type Permission = ChangeKind | 'disconnect';

export const PERMISSIONS = [...Object.keys(NOTIFICATION_METHODS), 'disconnect'] as readonly Permission[];

/** Who publishes, and what that publisher may do. */
export interface Grant {
  /** `key:` and the id of the key, or `token:` and the subject of the token: rates count by it, the audit log has it. */
  readonly publisher: string;
  /** Absent: on every server. */
  readonly servers?: readonly string[] | undefined;
  /** Absent: all of them. */
  readonly kinds?: readonly Permission[] | undefined;
}

/** Whoever reaches a publisher that authenticates nobody. */
export const ANYBODY: Grant = { publisher: 'anybody' };

/** Says what the grant lacks for this, if anything. */
export function missing(
  { servers, kinds }: Grant,
  serverId: ServerId,
  needed: Iterable<Permission>,
): string | undefined {
  if (servers !== undefined && !servers.includes(serverId)) return `the server ${JSON.stringify(serverId)}`;
  const lacking = kinds === undefined ? [] : [...new Set(needed)].filter((kind) => !kinds.includes(kind));
  return lacking.length === 0 ? undefined : `the kind ${lacking.map((kind) => JSON.stringify(kind)).join(', ')}`;
}
