import type { Stream } from './stream.ts';

/** How much there is of what an instance holds. */
export interface Census {
  /** Streams, those still opening included. */
  readonly open: number;
  /** Streams whose hosts do not read. */
  readonly blocked: number;
  /** Notifications that blocked streams owe; what the others owe is written within a pass. Counted when it is read. */
  readonly owed: number;
  /** Servers that there are streams for, and whose changes are therefore received. */
  readonly servers: number;
}

/** Counts of this moment; the blocked streams are walked for who reads `owed` alone. */
export function takeCensus(open: number, blocked: ReadonlySet<Stream>, servers: number): Census {
  return {
    open,
    blocked: blocked.size,
    get owed() {
      let owed = 0;
      for (const { outbox } of blocked) owed += outbox.size;
      return owed;
    },
    servers,
  };
}
