import type { Stream } from './stream.ts';

/** How much there is of what an instance holds, at one moment. */
export interface Census {
  /** Streams, those still opening included. */
  readonly open: number;
  /** Streams whose hosts do not read. */
  readonly blocked: number;
  /** Notifications that blocked streams owe; what the others owe is written within a pass. */
  readonly owed: number;
  /** Servers that there are streams for, and whose changes are therefore received. */
  readonly servers: number;
}

/** What there is to say of blocked streams; walks them, so it is for whoever asks now and then. */
export function arrears(streams: ReadonlySet<Stream>): Pick<Census, 'blocked' | 'owed'> {
  let owed = 0;
  for (const { outbox } of streams) owed += outbox.size;
  return { blocked: streams.size, owed };
}
