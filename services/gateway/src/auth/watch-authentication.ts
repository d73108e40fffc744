import type { Log, Metrics } from '@listen-gateway/service-kit';
import type { AuthObserver } from './auth-observer.ts';
import { authMetrics } from './metrics.ts';

/**
 * Counts what authentication does, and logs it: a refusal at `debug`, since strangers can cause any number; an issuer that
 * fails once when it begins to and once when it answers again. Nothing of a token is ever logged (FIELD F17).
 */
export function watchAuthentication(log: Log, metrics: Metrics): AuthObserver {
  const counts = authMetrics(metrics.registry);
  const failing = new Set<string>();
  return {
    verified: counts.verified,
    refused: (serverId, reason) => {
      counts.refused(serverId, reason);
      log.debug({ serverId, reason }, 'host refused');
    },
    answered: (issuer, question) => {
      counts.answered(issuer, question);
      if (failing.delete(`${question} ${issuer}`)) log.info({ issuer, question }, 'issuer answers again');
    },
    failed: (issuer, question, cause) => {
      counts.failed(issuer, question, cause);
      if (failing.has(`${question} ${issuer}`)) return;
      failing.add(`${question} ${issuer}`);
      log.warn({ issuer, question, why: whyOf(cause) }, 'issuer failed');
    },
  };
}

/** The messages of an error and of what it was caused by: Node's own says "fetch failed" of everything. */
function whyOf(error: unknown): string {
  if (error instanceof AggregateError) return [error.message, ...error.errors.map(whyOf)].filter(Boolean).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${whyOf(error.cause)}`;
}
