import type { Follow } from '@listen-gateway/core';
import { contextOf, remoteSpan, traceAfter, tracer } from '@listen-gateway/service-kit';
import { SpanKind } from '@opentelemetry/api';

/**
 * One span on this instance for each traced change, from its arrival to the last write of the pass that carries it, however
 * many streams that are. It goes on with the trace of the publish and is linked to it too, by which consumers of messages
 * are found; hosts are told of it as their parent.
 */
export const fanOutSpan: Follow = (serverId, { kind }, trace) => {
  const attributes = {
    'messaging.system': 'listen-gateway',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'fan-out',
    'messaging.destination.name': serverId,
    'listen_gateway.change.kind': kind,
  };
  const links = [{ context: remoteSpan(trace) }];
  const span = tracer.startSpan(
    `fan-out ${serverId}`,
    { kind: SpanKind.CONSUMER, attributes, links },
    contextOf(trace),
  );
  const told = traceAfter(span);
  if (told === undefined) return undefined;
  return {
    trace: told,
    over: (streams) => {
      span.setAttribute('listen_gateway.streams', streams);
      span.end();
    },
  };
};
