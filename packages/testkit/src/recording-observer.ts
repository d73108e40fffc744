import type { CloseReason, Refusal, Stream, StreamObserver } from '@listen-gateway/core';
import type { ChangeKind, ServerId } from '@listen-gateway/protocol';

/** Keeps all that an instance's streams report. */
export class RecordingObserver implements StreamObserver {
  readonly openings: { readonly stream: Stream; readonly waitedMs: number }[] = [];
  readonly closings: { readonly stream: Stream; readonly reason: CloseReason; readonly livedMs: number }[] = [];
  readonly refusals: Refusal[] = [];
  readonly marks: { readonly kind: ChangeKind; readonly owing: number; readonly coalesced: number }[] = [];
  readonly passes: { readonly streams: number; readonly tookMs: number }[] = [];
  /** How long ago the broker had taken each change that was written. */
  readonly agesMs: number[] = [];
  readonly gaps: { readonly serverId: ServerId; readonly streams: number }[] = [];

  opened(stream: Stream, waitedMs: number): void {
    this.openings.push({ stream, waitedMs });
  }

  closed(stream: Stream, reason: CloseReason, livedMs: number): void {
    this.closings.push({ stream, reason, livedMs });
  }

  refused(_serverId: ServerId, refusal: Refusal): void {
    this.refusals.push(refusal);
  }

  marked(kind: ChangeKind, owing: number, coalesced: number): void {
    this.marks.push({ kind, owing, coalesced });
  }

  passed(streams: number, tookMs: number): void {
    this.passes.push({ streams, tookMs });
  }

  written(ageMs: number): void {
    this.agesMs.push(ageMs);
  }

  gap(serverId: ServerId, streams: number): void {
    this.gaps.push({ serverId, streams });
  }

  /** Why streams closed, in order. */
  get reasons(): readonly CloseReason[] {
    return this.closings.map(({ reason }) => reason);
  }

  /** Opened and not closed again: what the open-streams gauge shows (FIELD F13). */
  get gauge(): number {
    return this.openings.length - this.closings.length;
  }
}
