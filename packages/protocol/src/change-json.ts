import { TaskStatusNotificationParamsV2Schema } from '@modelcontextprotocol/ext-tasks/core/v2';
import { z } from 'zod';
import { type Change, type ListKind, NOTIFICATION_METHODS, type Published, type Task } from './change.ts';
import { traceContextIn } from './trace-context.ts';

/** What is wrong with one member: where it stands in the JSON (keys and indexes from the root) and how to mend it. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type ParsedChange =
  | { readonly ok: true; readonly change: Change }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads one change from the JSON form used by the publisher API, the journal and the channel: the MCP notification
 * that the backend means, and optionally its audience. Members of a notification that say nothing about the change
 * (`jsonrpc`, and of `_meta` all but the trace context) are accepted and left out; any other unknown member is a problem,
 * because a misspelt `audience` would otherwise reach everybody.
 */
export function parseChange(json: unknown): ParsedChange {
  const parsed = ChangeJsonSchema.safeParse(json);
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.flatMap(problemsOf) };
  return { ok: true, change: toChange(parsed.data) };
}

export type ParsedPublished =
  | { readonly ok: true; readonly published: Published }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads what stands in the journal or on the channel: a change, or a disconnect, which no backend may POST as a change. */
export function parsePublished(json: unknown): ParsedPublished {
  const disconnect = DisconnectJsonSchema.safeParse(json);
  if (disconnect.success) return { ok: true, published: { kind: 'disconnect', ...disconnect.data.params } };
  const parsed = parseChange(json);
  return parsed.ok ? { ok: true, published: parsed.change } : parsed;
}

/** The JSON text of what is published, as `parsePublished` reads it. */
export function publishedJson(published: Published): string {
  if (published.kind !== 'disconnect') return changeJson(published);
  const { kind: _, ...params } = published;
  return JSON.stringify({ method: DISCONNECT_METHOD, params });
}

/** The JSON text of a change, as `parseChange` reads it. */
export function changeJson(change: Change): string {
  const params = paramsOf(change);
  // Under `_meta`, which every reader of this format lets pass, whether it knows of traces or not.
  const traced = change.trace === undefined ? params : { ...params, _meta: change.trace };
  return JSON.stringify({ method: NOTIFICATION_METHODS[change.kind], params: traced, audience: change.audience });
}

function paramsOf(change: Change): object | undefined {
  if (change.kind === 'task') return change.task;
  return change.kind === 'resource' ? { uri: change.uri } : undefined;
}

/** Describes zod's findings by member; the alternatives of a union are not listed, since one method picks one of them. */
export function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.filter((key) => typeof key !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: `unknown member "${key}"; remove it` }));
  }
  return [{ path, message: issue.message }];
}

/** Under a name of our own, outside MCP's `notifications/`. */
const DISCONNECT_METHOD = 'listen-gateway/disconnect';

const DisconnectJsonSchema = z.strictObject({
  method: z.literal(DISCONNECT_METHOD),
  params: z.strictObject({ subject: z.string().min(1), sid: z.string().optional(), jti: z.string().optional() }),
});

const AudienceSchema = z.strictObject({ subjects: z.array(z.string().min(1)).min(1) });

const envelope = { jsonrpc: z.literal('2.0').optional(), audience: AudienceSchema.optional() };
const MetaSchema = z.record(z.string(), z.unknown());

const listChange = (kind: ListKind) =>
  z.strictObject({
    method: z.literal(NOTIFICATION_METHODS[kind]),
    params: z.strictObject({ _meta: MetaSchema.optional() }).optional(),
    ...envelope,
  });

const TaskSchema = z
  .custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null)
  .superRefine((value, context) => {
    const parsed = TaskStatusNotificationParamsV2Schema.safeParse(value);
    for (const issue of parsed.error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: [...issue.path], message: issue.message });
    }
  });

const ChangeJsonSchema = z.discriminatedUnion(
  'method',
  [
    listChange('tools'),
    listChange('prompts'),
    listChange('resources'),
    z.strictObject({
      method: z.literal(NOTIFICATION_METHODS.resource),
      params: z.strictObject({ uri: z.string().min(1), _meta: MetaSchema.optional() }),
      ...envelope,
    }),
    z.strictObject({ method: z.literal(NOTIFICATION_METHODS.task), params: TaskSchema, ...envelope }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? methodHint : undefined) },
);

const methodHint = `must be one of ${Object.values(NOTIFICATION_METHODS).join(', ')}`;

function toChange(json: z.infer<typeof ChangeJsonSchema>): Change {
  const trace = traceContextIn(json.params?._meta);
  const more = { ...(json.audience && { audience: json.audience }), ...(trace && { trace }) };
  switch (json.method) {
    case NOTIFICATION_METHODS.tools:
      return { kind: 'tools', ...more };
    case NOTIFICATION_METHODS.prompts:
      return { kind: 'prompts', ...more };
    case NOTIFICATION_METHODS.resources:
      return { kind: 'resources', ...more };
    case NOTIFICATION_METHODS.resource:
      return { kind: 'resource', uri: json.params.uri, ...more };
    case NOTIFICATION_METHODS.task: {
      const { _meta, ...task } = json.params;
      return { kind: 'task', task: task as Task, ...more };
    }
  }
}
