import type { StreamObserver } from '@listen-gateway/core';
import type { Filter } from '@listen-gateway/protocol';
import type { Log } from '@listen-gateway/service-kit';

/** One line when a stream opens, one when it closes, with its reason; nothing for each change. */
export function streamLog(log: Log): StreamObserver {
  return {
    opened: ({ id, serverId, honored }) => log.info({ streamId: id, serverId, ...summary(honored) }, 'stream opened'),
    closed: ({ id, serverId }, reason, livedMs) =>
      log.info({ streamId: id, serverId, reason, livedMs: Math.round(livedMs) }, 'stream closed'),
    refused: (serverId, reason) => log.info({ serverId, reason }, 'listen refused'),
    marked: (kind, owing, coalesced) => log.debug({ kind, owing, coalesced }, 'change received'),
    passed: () => {},
    written: () => {},
    gap: (serverId, streams) =>
      log.warn({ serverId, streams }, 'changes may have been missed; telling streams of everything'),
  };
}

/** What was honored, by how many: URIs and task ids may be secrets of the host and are never logged. */
function summary(honored: Filter): Readonly<Record<string, unknown>> {
  const { resourceSubscriptions, taskIds, ...lists } = honored;
  return { lists: Object.keys(lists), uris: resourceSubscriptions?.length ?? 0, tasks: taskIds?.length ?? 0 };
}
