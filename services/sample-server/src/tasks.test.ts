import type { Change } from '@listen-gateway/protocol';
import { eventually, within } from '@listen-gateway/testkit';
import { inputRequired } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { Tasks } from './tasks.ts';
import { textResult } from './text-result.ts';

const question = inputRequired.elicit({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } });

/** Tasks whose published states are kept, in the order of publishing. */
function openTasks() {
  const published: Record<string, unknown>[] = [];
  const publish = async (change: Change) => {
    if (change.kind === 'task') published.push(change.task);
    return 'published' as const;
  };
  return { published, tasks: new Tasks({ publish }) };
}

describe('a task', () => {
  it('publishes what it is asked and goes on when all of it is answered', async () => {
    const { published, tasks } = openTasks();
    const { promise: asked, resolve } = Promise.withResolvers<unknown>();
    const created = tasks.start(async (task) => {
      resolve(await task.ask({ first: question, second: question }));
      return textResult('done');
    });
    const task = tasks.find(created?.taskId ?? '');
    await eventually(1_000, 'the question', () => task?.detail.status === 'input_required');

    await task?.answer({ first: 1, never: 0 });
    expect(task?.detail).toMatchObject({ status: 'input_required', inputRequests: { second: question } });
    expect(task?.detail).not.toHaveProperty('inputRequests.first');
    await task?.answer({ first: 'again', second: 2 });
    expect(await within(1_000, 'the answers', asked)).toEqual({ first: 1, second: 2 });
    await eventually(1_000, 'the end', () => task?.detail.status === 'completed');
    expect(published.map(({ status }) => status)).toEqual([
      'working',
      'input_required',
      'input_required',
      'working',
      'completed',
    ]);
    expect(published.at(-1)).not.toHaveProperty('inputRequests');
  });

  it('completes with a tool error and fails with what its work throws', async () => {
    const { published, tasks } = openTasks();
    tasks.start(async () => ({ ...textResult('no'), isError: true }));
    tasks.start(async () => {
      throw new Error('a secret');
    });
    await eventually(1_000, 'the ends', () => published.length === 4);
    expect(published.slice(2)).toMatchObject([
      { status: 'completed', result: { isError: true } },
      { status: 'failed', error: { code: -32603 } },
    ]);
    expect(JSON.stringify(published)).not.toContain('a secret');
  });

  it('is cancelled while it waits for an answer, by the end of the server too', async () => {
    const { published, tasks } = openTasks();
    tasks.start(async (task) => textResult(String(await task.ask({ sure: question }))));
    await eventually(1_000, 'the question', () => published.length === 2);
    await within(1_000, 'the close', tasks.close());
    expect(published.at(-1)).toMatchObject({ status: 'cancelled' });
  });

  it('is not started while there are 100', async () => {
    const { tasks } = openTasks();
    const started = Array.from({ length: 101 }, () => tasks.start(async () => textResult('done')));
    expect(started.filter(Boolean)).toHaveLength(100);
    await within(1_000, 'the close', tasks.close());
  });
});
