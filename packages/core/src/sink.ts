/** Whole SSE frames in ASCII, shared by every stream that gets the same bytes. */
export interface Chunk {
  readonly text: string;
  /** Where a sink keeps its own encoding of `text`, so that it is made once and not for each stream. */
  wire?: string;
}

/** `blocked`: taken, but the host reads slowly; write no more before `drained`. */
export type Written = 'accepted' | 'blocked';

/** One host's response. Nothing here throws; after `gone` every call does nothing. */
export interface Sink {
  /** Writes now, in order; the first write sends the response head in the same flush. */
  write(chunk: Chunk): Written;
  /** Writes the last chunk, if any, and ends the response; `gone` follows once all of it left this process. */
  end(last?: Chunk): void;
  /** Destroys the connection at once; `gone` follows. */
  cut(): void;
}

/** What a sink reports; `gone` is reported exactly once and last. */
export interface SinkEvents {
  drained(): void;
  gone(): void;
}

/** Opens a sink that reports to `events`, never before it returned; nothing is sent before the first write. */
export type OpenSink = (events: SinkEvents) => Sink;
