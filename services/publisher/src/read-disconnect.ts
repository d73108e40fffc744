import { type Problem, problemsOf, type ServerId } from '@listen-gateway/protocol';
import type { ServersConfig } from '@listen-gateway/service-kit';
import { z } from 'zod';
import { type Grant, missing } from './auth/grant.ts';
import type { Refusal } from './problem.ts';

/** The body of a disconnect: which of the principal's streams, and on which servers. */
export type DisconnectBody = z.output<typeof DisconnectSchema>;

const DisconnectSchema = z.strictObject({
  sid: z.string().min(1).optional(),
  jti: z.string().min(1).optional(),
  servers: z.array(z.string().min(1)).min(1).max(1_000).optional(),
});

export type ReadDisconnect =
  | { readonly ok: true; readonly body: DisconnectBody }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads the body of a disconnect; one unknown member makes it bad, for a misspelt `sid` would end every session. */
export function readDisconnect(json: unknown): ReadDisconnect {
  const parsed = DisconnectSchema.safeParse(json);
  if (parsed.success) return { ok: true, body: parsed.data };
  return { ok: false, problems: parsed.error.issues.flatMap(problemsOf) };
}

export type DisconnectTargets =
  | { readonly ok: true; readonly serverIds: readonly ServerId[] }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * The servers that a disconnect is published to: those that it names, or all with authenticated hosts that the
 * credential is good for. One that cannot be meant makes all of it bad: it would leave streams open unsaid.
 */
export function targetsOf(
  named: readonly string[] | undefined,
  servers: ServersConfig,
  grant: Grant,
): DisconnectTargets {
  const permitted = (id: string) => missing(grant, id as ServerId, ['disconnect']);
  const foreign = named?.map(permitted).find((lacking) => lacking !== undefined);
  if (foreign !== undefined) {
    const detail = `the credential is not good for ${foreign}`;
    return { ok: false, refusal: { reason: 'not-permitted', detail } };
  }
  const problems = (named ?? []).flatMap((id, index) => problemsWith(id, index, servers));
  const detail = 'nobody was disconnected; mend what the errors point at';
  if (problems.length > 0) return { ok: false, refusal: { reason: 'no-principals', detail, problems } };

  const authenticated = [...servers].filter(([, { auth }]) => auth !== undefined).map(([serverId]) => serverId);
  const meant = named === undefined ? authenticated : ([...new Set(named)] as ServerId[]);
  const serverIds = meant.filter((serverId) => permitted(serverId) === undefined);
  if (serverIds.length > 0) return { ok: true, serverIds };
  const lacking = authenticated.map(permitted)[0];
  const refusal: Refusal =
    lacking === undefined
      ? { reason: 'no-principals', detail: 'the hosts of no server are authenticated, so there are no principals' }
      : { reason: 'not-permitted', detail: `the credential is not good for ${lacking}` };
  return { ok: false, refusal };
}

function problemsWith(id: string, index: number, servers: ServersConfig): Problem[] {
  const server = servers.get(id as ServerId);
  if (server?.auth !== undefined) return [];
  const message =
    server === undefined
      ? 'no server of this name is configured'
      : 'hosts of this server are not authenticated, so it has no principals';
  return [{ path: ['servers', index], message }];
}
