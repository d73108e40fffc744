import type { BrokerStatus } from '@listen-gateway/core';
import type { Readiness } from '@listen-gateway/service-kit';

export interface InstanceState {
  readonly draining: boolean;
  readonly broker: BrokerStatus;
  /** Whether any server has an upstream: requests that need no broker. */
  readonly forwards: boolean;
}

/**
 * Whether load balancers should send requests here. Without its broker an instance refuses listens; one that only
 * serves listens is of no use then, but one that forwards as well must not take tool calls down with Redis.
 */
export function readinessOf({ draining, broker, forwards }: InstanceState): Readiness {
  const trouble = broker.ready ? [] : [`broker: ${broker.reason}`];
  const reasons = [...(draining ? ['draining'] : []), ...(forwards ? [] : trouble)];
  const degraded = forwards ? trouble : [];
  return { ready: reasons.length === 0, reasons, ...(degraded.length > 0 && { degraded }) };
}
