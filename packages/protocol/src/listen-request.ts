import { z } from 'zod';
import { type Filter, FilterSchema } from './filter.ts';
import { CLIENT_CAPABILITIES_META_KEY, TASKS_EXTENSION_KEY } from './meta-keys.ts';
import type { RequestId } from './request-id.ts';
import { RPC_CODES, type RpcRefusal } from './rpc-error.ts';

/** Bounds on one filter, so that what a stream can be owed is bounded too. */
export interface FilterLimits {
  /** URIs and task ids together. */
  readonly urisPerFilter: number;
  /** UTF-16 units of one URI or task id. */
  readonly uriLength: number;
}

export type ReadListen =
  | { readonly ok: true; readonly requested: Filter }
  | { readonly ok: false; readonly refusal: RpcRefusal };

export const LISTEN_METHOD = 'subscriptions/listen';

/**
 * Reads the parameters of a `subscriptions/listen` request (basic/patterns/subscriptions).
 * Refuses with −32602 for bad parameters, with −32021 for `taskIds` without the Tasks client capability (P-4.1).
 */
export function readListen(id: RequestId, params: Readonly<Record<string, unknown>>, limits: FilterLimits): ReadListen {
  const parsed = ParamsSchema.safeParse(params);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const member = ['params', ...(issue?.path ?? [])].join('.');
    return invalidParams(id, `${member}: ${issue?.message ?? 'invalid'}`);
  }
  const requested = parsed.data.notifications;
  const named = [...(requested.resourceSubscriptions ?? []), ...(requested.taskIds ?? [])];
  if (named.length > limits.urisPerFilter) {
    return invalidParams(
      id,
      `params.notifications: ${named.length} URIs and task ids; the limit is ${limits.urisPerFilter}`,
    );
  }
  if (named.some((name) => name.length > limits.uriLength)) {
    return invalidParams(id, `params.notifications: a URI or task id is longer than ${limits.uriLength} characters`);
  }
  if (requested.taskIds !== undefined && !declaresTasks(params)) return missingTasksCapability(id);
  return { ok: true, requested };
}

const ParamsSchema = z.object({ notifications: FilterSchema });

function declaresTasks(params: Readonly<Record<string, unknown>>): boolean {
  const parsed = z
    .object({
      _meta: z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.object({ extensions: z.record(z.string(), z.unknown()) }) }),
    })
    .safeParse(params);
  return (
    parsed.success && Object.hasOwn(parsed.data._meta[CLIENT_CAPABILITIES_META_KEY].extensions, TASKS_EXTENSION_KEY)
  );
}

function invalidParams(id: RequestId, message: string): ReadListen {
  return { ok: false, refusal: { status: 400, id, error: { code: RPC_CODES.invalidParams, message } } };
}

function missingTasksCapability(id: RequestId): ReadListen {
  return {
    ok: false,
    refusal: {
      status: 400,
      id,
      error: {
        code: RPC_CODES.missingClientCapability,
        message: `params.notifications.taskIds needs the client capability extensions["${TASKS_EXTENSION_KEY}"] in _meta`,
        data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION_KEY]: {} } } },
      },
    },
  };
}
