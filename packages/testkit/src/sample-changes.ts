import { randomUUID } from 'node:crypto';
import type { ResourceChange, ServerId } from '@listen-gateway/protocol';

/** A server id that no other test uses, so that tests may share one Redis. */
export function freshServerId(): ServerId {
  return `t-${randomUUID()}` as ServerId;
}

/** The change that carries a number, so that a test can tell which changes arrived and in what order. */
export function numbered(n: number): ResourceChange {
  return { kind: 'resource', uri: `test://${n}` };
}

/** The URIs of the numbered changes from `first` up to and including `last`. */
export function numberedUris(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => numbered(first + index).uri);
}
