import { ReplyError } from 'ioredis';

/** Whether Redis itself said no, as opposed to a connection that failed. */
export function isReply(cause: unknown): cause is Error {
  return cause instanceof ReplyError;
}

/** The word that an error of Redis begins with and that says what it is; undefined for anything else. */
export function replyCode(cause: unknown): string | undefined {
  return isReply(cause) ? cause.message.split(' ', 1)[0] : undefined;
}

const ELSEWHERE: ReadonlySet<string | undefined> = new Set(['MOVED', 'ASK', 'TRYAGAIN', 'CLUSTERDOWN']);

/**
 * Whether a node of a cluster did not carry out what it was asked because it is not, or not yet, the one to ask. A slot
 * that is on its way (ASK, TRYAGAIN) is waited for: what is published meanwhile on the new node nobody would hear, since
 * subscriptions stay with the old one until the end.
 */
export function isElsewhere(cause: unknown): boolean {
  return ELSEWHERE.has(replyCode(cause));
}
