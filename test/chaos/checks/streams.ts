import type { Filter } from '@listen-gateway/protocol';
import { type History, wants } from '../history.ts';
import type { Message, StreamHistory } from '../stream-history.ts';
import type { Violation, ViolationKind } from '../violation.ts';

type Offence = readonly [kind: ViolationKind, at: number, text: string];

/** What holds for each stream, whatever was published: first message, tags, filter, end, order of task states. */
export function checkStreams({ streams }: History): Violation[] {
  return streams.flatMap((stream) => {
    const place = { where: stream.instance, text: `stream ${stream.stream} of ${stream.server}: ` };
    return [...offences(stream), ...taskOffences(stream)].map(([kind, at, text]): Violation => {
      return { kind, at, ...place, text: place.text + text };
    });
  });
}

function* offences(stream: StreamHistory): Generator<Offence> {
  const { garbled, honored, requested, acknowledgedAt, endedAt, messages } = stream;
  for (const text of garbled) yield ['garbled', endedAt, text];
  if (!isWithin(honored, requested)) yield ['outside-filter', acknowledgedAt, 'more is honored than was requested'];
  for (const [index, message] of messages.entries()) yield* messageOffences(stream, message, index);
}

function* messageOffences(
  { id, honored, messages }: StreamHistory,
  message: Message,
  index: number,
): Generator<Offence> {
  const { type, at, tag } = message;
  if ((type === 'acknowledged') !== (index === 0)) yield ['not-acknowledged-first', at, `${type} at ${index}`];
  if (tag !== id) yield ['wrong-tag', at, `${type} tagged ${tag || 'with nothing'}, not ${id}`];
  if (type === 'notified' && !wants(honored, message.key)) yield ['outside-filter', at, message.key];
  if (type !== 'completed') return;
  if (message.id !== id) yield ['wrong-tag', at, `the result has id ${message.id}, not ${id}`];
  if (index < messages.length - 1) yield ['after-the-end', at, 'more followed the result'];
}

function* taskOffences({ messages }: StreamHistory): Generator<Offence> {
  const newest = new Map<string, number>();
  for (const message of messages) {
    if (message.type !== 'notified' || message.seq === undefined) continue;
    const { at, key, seq } = message;
    const before = newest.get(key) ?? -1;
    if (seq < before) yield ['task-order', at, `${key} in state ${seq} after state ${before}`];
    newest.set(key, Math.max(seq, before));
  }
}

/** Whether nothing is honored that was not requested. */
function isWithin(honored: Filter, requested: Filter): boolean {
  const lists = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;
  const names = ['resourceSubscriptions', 'taskIds'] as const;
  return (
    lists.every((list) => !honored[list] || requested[list]) &&
    names.every((name) => (honored[name] ?? []).every((one) => requested[name]?.includes(one)))
  );
}
