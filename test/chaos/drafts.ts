import type { Random } from '@listen-gateway/core';
import { pick } from './random.ts';
import type { PublishedChange } from './records.ts';

/** A change on its way to the publisher: what is recorded of it, and its body. */
export interface Draft extends PublishedChange {
  readonly body: object;
}

export const LIST_DRAFTS = {
  tools: { key: 'tools', body: { method: 'notifications/tools/list_changed' } },
  prompts: { key: 'prompts', body: { method: 'notifications/prompts/list_changed' } },
  resources: { key: 'resources', body: { method: 'notifications/resources/list_changed' } },
} as const satisfies Record<string, Draft>;

export function updatedDraft(uri: string): Draft {
  return { key: `uri:${uri}`, body: { method: 'notifications/resources/updated', params: { uri } } };
}

export type TaskStatus = (typeof OPEN | typeof TERMINAL)[number];

/** A status that a task's last state, or an earlier one, may have. */
export function taskStatus(random: Random, last: boolean): TaskStatus {
  return pick<TaskStatus>(random, last ? TERMINAL : OPEN);
}

/** The state of a task with this number, made so long. */
export function taskDraft(taskId: string, seq: number, status: TaskStatus, bytes = 0): Draft {
  const params = {
    taskId,
    status,
    statusMessage: `${seq} ${'x'.repeat(bytes)}`,
    createdAt: '2026-11-30T00:00:00Z',
    lastUpdatedAt: '2026-11-30T00:00:01Z',
    ttlMs: null,
    ...(status === 'completed' && { result: { content: [{ type: 'text', text: 'done' }] } }),
    ...(status === 'failed' && { error: { code: -32603, message: 'failed' } }),
    ...(status === 'input_required' && { inputRequests: {} }),
  };
  const terminal = (TERMINAL as readonly string[]).includes(status);
  return { key: `task:${taskId}`, seq, ...(terminal && { terminal }), body: { method: 'notifications/tasks', params } };
}

/** The number of a task's state, from what `taskDraft` made of it. */
export function taskSeq(params: Readonly<Record<string, unknown>> | undefined): number {
  return Number.parseInt(String(params?.statusMessage), 10);
}

const OPEN = ['working', 'input_required'] as const;
const TERMINAL = ['completed', 'failed', 'cancelled'] as const;
