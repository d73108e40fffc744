import type { ChangeKind, ServerId } from '@listen-gateway/protocol';
import type { Refusal } from './admit.ts';
import type { CloseReason } from './close-reason.ts';
import type { Stream } from './stream.ts';

/** Told what happens to streams, for logs and metrics; nothing here may throw. */
export interface StreamObserver {
  /** The acknowledgement was written, `waitedMs` after the request was read. */
  opened(stream: Stream, waitedMs: number): void;
  /** An opened stream is over, `livedMs` after its acknowledgement. */
  closed(stream: Stream, reason: CloseReason, livedMs: number): void;
  /** A listen was refused before a byte was streamed. */
  refused(serverId: ServerId, refusal: Refusal): void;
  /** A change was looked up: how many streams owe it from now on, and how many owed it already. */
  marked(kind: ChangeKind, owing: number, coalesced: number): void;
  /** All marked streams were written to, `tookMs` after the first was marked. */
  passed(streams: number, tookMs: number): void;
  /** A pass wrote what streams owed of a change that the broker had taken `ageMs` before; where nothing was written, not told. */
  written(ageMs: number): void;
  /** Changes of a server may have been missed; so many streams are told of everything. */
  gap(serverId: ServerId, streams: number): void;
}

/** One observer that tells several, in order. */
export function together(observers: readonly StreamObserver[]): StreamObserver {
  const each = (tell: (observer: StreamObserver) => void) => observers.forEach(tell);
  return {
    opened: (stream, waitedMs) => each((observer) => observer.opened(stream, waitedMs)),
    closed: (stream, reason, livedMs) => each((observer) => observer.closed(stream, reason, livedMs)),
    refused: (serverId, refusal) => each((observer) => observer.refused(serverId, refusal)),
    marked: (kind, owing, coalesced) => each((observer) => observer.marked(kind, owing, coalesced)),
    passed: (streams, tookMs) => each((observer) => observer.passed(streams, tookMs)),
    written: (ageMs) => each((observer) => observer.written(ageMs)),
    gap: (serverId, streams) => each((observer) => observer.gap(serverId, streams)),
  };
}
