import type { Filter, RequestId, ServerId } from '@listen-gateway/protocol';
import { ENDS_WITH_RESULT } from '../src/close-reason.ts';
import type { OpenSink, Sink } from '../src/sink.ts';
import { Stream, type StreamId, type StreamOptions, type StreamOwner } from '../src/stream.ts';
import { SubscriptionTags } from '../src/subscription-tag.ts';

export interface StreamSketch extends Partial<Omit<StreamOptions, 'id' | 'tag' | 'honored'>> {
  readonly id?: RequestId;
  readonly honored?: Filter;
  readonly tags?: SubscriptionTags;
  readonly owner?: Partial<StreamOwner>;
  readonly openSink?: OpenSink;
}

let streams = 0;

/** A stream that stands alone: unless the sketch says otherwise, nobody owns it and its host takes everything. */
export function sampleStream(sketch: StreamSketch = {}): Stream {
  const { id = 'listen:0', tags = new SubscriptionTags(), owner, openSink = () => deafSink, ...options } = sketch;
  return new Stream(
    {
      serverId: 'default' as ServerId,
      serverInfo: { name: 'acme-ops', version: '1.2.3' },
      honored: { toolsListChanged: true },
      subResources: false,
      principal: undefined,
      ...options,
      id: streams++ as StreamId,
      tag: tags.claim(id),
    },
    {
      endsWithResult: (reason) => ENDS_WITH_RESULT[reason],
      writable: () => {},
      blocked: () => {},
      closed: () => {},
      ...owner,
    },
    openSink,
  );
}

const deafSink: Sink = { write: () => 'accepted', end: () => {}, cut: () => {} };
