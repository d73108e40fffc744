import { Counter, Histogram, type Registry } from 'prom-client';
import type { AuthObserver } from './auth-observer.ts';
import { AUTH_REFUSALS } from './verdict.ts';

/** A token that is known costs a hash, another a signature, an opaque one a question over the network. */
const SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** What an operator can see of authentication; docs/metrics.md lists each. */
export function authMetrics(registry: Registry): AuthObserver {
  const registers = [registry];
  const refused = new Counter({
    name: 'lg_auth_refused_total',
    help: 'Requests of hosts that were not let in, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const seconds = new Histogram({
    name: 'lg_auth_seconds',
    help: 'Time to find out whose a token is, known already or not.',
    buckets: SECONDS,
    registers,
  });
  const questions = new Counter({
    name: 'lg_auth_issuer_questions_total',
    help: 'Key sets fetched from issuers and tokens asked about, by outcome.',
    labelNames: ['question', 'outcome'],
    registers,
  });
  for (const reason of AUTH_REFUSALS) refused.inc({ reason }, 0);
  for (const question of ['keys', 'introspection']) {
    for (const outcome of ['answered', 'failed']) questions.inc({ question, outcome }, 0);
  }
  return {
    verified: (tookMs) => seconds.observe(tookMs / 1_000),
    refused: (_serverId, reason) => refused.inc({ reason }),
    answered: (_issuer, question) => questions.inc({ question, outcome: 'answered' }),
    failed: (_issuer, question) => questions.inc({ question, outcome: 'failed' }),
  };
}
