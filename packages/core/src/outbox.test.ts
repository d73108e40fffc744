import type { Filter, ListKind, TaskChange, TaskStatus } from '@listen-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIST_BITS, Outbox } from './outbox.ts';

const kinds = ['tools', 'prompts', 'resources'] as const;
const taskIn = (taskId: string, status: TaskStatus, seq = 0): TaskChange => ({
  kind: 'task',
  task: { taskId, status, seq },
});
const isTerminal = ({ task }: TaskChange) => task.status !== 'working' && task.status !== 'input_required';

/** The rule as written: sets of what changed, the latest state of each task, a terminal one for good. */
class Model {
  readonly lists = new Set<ListKind>();
  readonly uris = new Set<string>();
  readonly tasks = new Map<string, TaskChange>();

  oweTask(change: TaskChange): void {
    const unsent = this.tasks.get(change.task.taskId);
    if (unsent && isTerminal(unsent) && !isTerminal(change)) return;
    this.tasks.set(change.task.taskId, change);
  }

  clear(): void {
    this.lists.clear();
    this.uris.clear();
    this.tasks.clear();
  }
}

type Act =
  | { readonly list: ListKind }
  | { readonly uri: string }
  | { readonly task: TaskChange }
  | { readonly everything: Filter }
  | 'clear';

const uri = fc.constantFrom('file:///a', 'file:///b', 'file:///c', '', '__proto__');
const status = fc.constantFrom<TaskStatus>('working', 'input_required', 'completed', 'failed', 'cancelled');
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...kinds).map((list) => ({ list })) },
  { weight: 5, arbitrary: uri.map((uri) => ({ uri })) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom('t1', 't2', 't3'), status, fc.nat())
      .map(([taskId, status, seq]) => ({ task: taskIn(taskId, status, seq) })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ toolsListChanged: fc.constant(true), resourceSubscriptions: fc.array(uri) }, { requiredKeys: [] })
      .map((everything) => ({ everything })),
  },
  { weight: 1, arbitrary: fc.constant('clear' as const) },
);

function perform(act: Act, outbox: Outbox, model: Model): void {
  if (act === 'clear') {
    outbox.clear();
    model.clear();
  } else if ('list' in act) {
    expect(outbox.oweList(act.list)).toBe(!model.lists.has(act.list));
    model.lists.add(act.list);
  } else if ('uri' in act) {
    expect(outbox.oweUri(act.uri)).toBe(!model.uris.has(act.uri));
    model.uris.add(act.uri);
  } else if ('task' in act) {
    expect(outbox.oweTask(act.task)).toBe(!model.tasks.has(act.task.task.taskId));
    model.oweTask(act.task);
  } else {
    outbox.oweEverything(act.everything);
    if (act.everything.toolsListChanged) model.lists.add('tools');
    for (const uri of act.everything.resourceSubscriptions ?? []) model.uris.add(uri);
  }
}

function expectSame(outbox: Outbox, model: Model): void {
  const lists = [...model.lists].reduce((bits, kind) => bits | LIST_BITS[kind], 0);
  const uris = [...model.uris];
  const tasks = [...model.tasks.values()];
  expect(outbox.owed).toEqual({ lists, uris, tasks });
  expect(outbox.owedUris).toBe(uris.length);
  expect(outbox.size).toBe(model.lists.size + uris.length + tasks.length);
  expect(outbox.isEmpty).toBe(lists === 0 && uris.length + tasks.length === 0);
  expect(outbox.listsOnly).toBe(uris.length + tasks.length === 0 ? lists : undefined);
  expect(outbox.uriOnly).toBe(lists === 0 && tasks.length === 0 && uris.length === 1 ? uris[0] : undefined);
  expect(outbox.taskOnly).toBe(lists === 0 && uris.length === 0 && tasks.length === 1 ? tasks[0] : undefined);
}

describe('an outbox', () => {
  it('owes a set: every change key once, in order of arrival, each task in its latest state (P-4.3, FIELD C32)', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const outbox = new Outbox();
        const model = new Model();
        for (const act of acts) {
          perform(act, outbox, model);
          expectSame(outbox, model);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never loses the terminal state of a task, whatever comes after it (P-4.3)', () => {
    const later = fc.array(fc.tuple(fc.constantFrom('t1', 't2'), status), { maxLength: 10 });
    const terminal = fc.constantFrom<TaskStatus>('completed', 'failed', 'cancelled');
    fc.assert(
      fc.property(later, terminal, later, (before, terminal, after) => {
        const outbox = new Outbox();
        for (const [taskId, status] of before) outbox.oweTask(taskIn(taskId, status));
        outbox.oweTask(taskIn('t1', terminal));
        for (const [taskId, status] of after) outbox.oweTask(taskIn(taskId, status));
        const owed = outbox.owed.tasks.filter(({ task }) => task.taskId === 't1');
        expect(owed).toHaveLength(1);
        expect(owed.every(isTerminal)).toBe(true);
      }),
    );
  });

  it('is bounded by what the stream listens for, however much changes (FIELD C35)', () => {
    const outbox = new Outbox();
    for (let n = 0; n < 10_000; n += 1) {
      for (const kind of kinds) outbox.oweList(kind);
      outbox.oweUri(`file:///${n % 5}`);
      outbox.oweTask(taskIn(`t${n % 3}`, 'working', n));
    }
    const { uris, tasks } = outbox.owed;
    expect(uris).toHaveLength(5);
    expect(tasks.map(({ task }) => task.seq)).toEqual([9_999, 9_997, 9_998]);
  });

  it('owes all that can be read again after a gap, and tells no task state that it does not know', () => {
    const outbox = new Outbox();
    outbox.oweEverything({ promptsListChanged: true, resourceSubscriptions: ['a', 'b'], taskIds: ['t'] });
    expect(outbox.owed).toEqual({ lists: LIST_BITS.prompts, uris: ['a', 'b'], tasks: [] });
  });
});
