import type { Change, Filter, RequestId } from '@listen-gateway/protocol';
import { type Asked, type RpcMessage, TEST_SERVER, TestInstance } from '@listen-gateway/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEmpty } from './honor.ts';

const ACTS = [
  'ask',
  'confirm',
  'refuse',
  'break',
  'mend',
  'publish',
  'gap',
  'pass',
  'tick',
  'block',
  'drain',
  'leave',
  'end',
  'turn',
] as const;
/** How often each act comes up, against one time. */
const OFTEN: Partial<Record<(typeof ACTS)[number], number>> = { ask: 3, publish: 6, turn: 3, confirm: 2, pass: 2 };

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const keyOf = ({ kind, ...members }: Change): string =>
  'uri' in members ? members.uri : 'task' in members ? members.task.taskId : `notifications/${kind}/list_changed`;
const keyIn = ({ method, params }: RpcMessage): string => `${params?.uri ?? params?.taskId ?? method}`;
const keysOf = (filter: Filter): readonly string[] => [
  ...(filter.toolsListChanged ? ['notifications/tools/list_changed'] : []),
  ...(filter.promptsListChanged ? ['notifications/prompts/list_changed'] : []),
  ...(filter.resourceSubscriptions ?? []),
  ...(filter.taskIds ?? []),
];

/** A host: what it asked for, and what it must have heard of in the end. */
class Host {
  readonly id: RequestId;
  readonly filter: Filter;
  readonly asked: Asked;
  /** For each key that changed while the stream was open: how many messages had been sent by then, and how often. */
  readonly due = new Map<string, { from: number; times: number; seq?: unknown }>();
  outcome: string | undefined;

  constructor(instance: TestInstance, id: RequestId, filter: Filter) {
    this.id = id;
    this.filter = filter;
    this.asked = instance.ask({ id, filter });
    void this.asked.outcome.then((outcome) => {
      this.outcome = outcome;
    });
  }

  get messages(): readonly RpcMessage[] {
    return this.asked.sink?.messages ?? [];
  }

  get isOver(): boolean {
    return this.asked.sink === undefined || this.asked.sink.isGone || this.asked.sink.closing !== 'no';
  }

  changed(key: string, seq?: unknown): void {
    if (this.isOver || !keysOf(this.filter).includes(key)) return;
    const times = (this.due.get(key)?.times ?? 0) + 1;
    this.due.set(key, { from: this.messages.length, times, seq });
  }

  /** The acknowledgement first; then what was honored, tagged; the result last, and only at a graceful end. */
  expectInOrder(): void {
    const [acknowledgement, ...rest] = this.messages;
    if (acknowledgement === undefined) return;
    expect(acknowledgement).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    expect(acknowledgement.params?.notifications).toEqual(this.filter);
    for (const { params, result } of this.messages) {
      expect((params ?? result)?._meta?.['io.modelcontextprotocol/subscriptionId']).toBe(this.id);
    }
    const result = rest.findIndex((message) => message.result !== undefined);
    expect(result).toBe(this.asked.sink?.closing === 'end' ? rest.length - 1 : -1);
    const allowed = keysOf(this.filter);
    for (const message of rest) if (message.result === undefined) expect(allowed).toContain(keyIn(message));
  }

  /** Each change was told after it happened, no oftener than it happened, a task in its latest state. */
  expectComplete(): void {
    for (const [key, { from, times, seq }] of this.due) {
      const told = this.messages.filter((message) => message.result === undefined && keyIn(message) === key);
      expect(told.length).toBeLessThanOrEqual(times);
      expect(this.messages.slice(from).some((message) => keyIn(message) === key)).toBe(true);
      if (seq !== undefined) expect(told.at(-1)?.params?.seq).toBe(seq);
    }
  }
}

/** An instance, its hosts, and what may happen to them; `pick` says to whom. */
class Scene {
  readonly instance = new TestInstance({ stallMs: 60_000, keepaliveMs: 300 });
  readonly hosts: Host[] = [];
  #seq = 0;

  constructor() {
    this.instance.broker.hold();
  }

  perform(act: (typeof ACTS)[number], pick: number, filter: Filter): unknown {
    const { broker, clock, streams } = this.instance;
    const host = this.hosts[pick % Math.max(1, this.hosts.length)];
    const perform: Record<typeof act, () => unknown> = {
      ask: () => this.hosts.push(new Host(this.instance, pick % 3, filter)),
      confirm: () => broker.pending.length > 0 && broker.confirm(),
      refuse: () => broker.pending.length > 0 && broker.refuse(),
      break: () => Object.assign(broker, { ready: false }),
      mend: () => Object.assign(broker, { ready: true }),
      publish: () => this.#publish(pick),
      gap: () => this.#gap(),
      pass: () => clock.runSoon(),
      tick: () => clock.advance(100),
      block: () => host?.asked.sink?.block(),
      drain: () => host?.asked.sink?.drain(),
      leave: () => host?.asked.sink?.leave(),
      end: () => [...streams.open][pick % Math.max(1, streams.open.size)]?.end('drain'),
      turn: () => turn(),
    };
    return perform[act]();
  }

  /** Lets everything that is under way come to its end. */
  async settle(): Promise<void> {
    const { broker, clock } = this.instance;
    while (broker.pending.length > 0) broker.confirm();
    await turn();
    for (const { asked } of this.hosts) asked.sink?.drain();
    clock.advance(0);
  }

  #publish(pick: number): void {
    const changes: Change[] = [
      { kind: 'tools' },
      { kind: 'prompts' },
      { kind: 'resource', uri: 'file:///a' },
      { kind: 'resource', uri: 'file:///b' },
      { kind: 'task', task: { taskId: 't', status: 'working', seq: this.#seq++ } },
    ];
    const change = changes[pick % changes.length] as Change;
    for (const host of this.hosts) host.changed(keyOf(change), change.kind === 'task' ? change.task.seq : undefined);
    void this.instance.broker.publish(TEST_SERVER, [change]);
  }

  #gap(): void {
    if (this.instance.broker.attached(TEST_SERVER) === 0) return;
    for (const host of this.hosts) {
      for (const key of keysOf(host.filter)) if (!host.filter.taskIds?.includes(key)) host.changed(key);
    }
    this.instance.broker.gap(TEST_SERVER);
  }
}

const filter = fc.record(
  {
    toolsListChanged: fc.constant(true as const),
    promptsListChanged: fc.constant(true as const),
    resourceSubscriptions: fc.constantFrom(['file:///a'], ['file:///b', 'file:///a']),
    taskIds: fc.constant(['t']),
  },
  { requiredKeys: [] },
);
const act = fc.record({
  act: fc.oneof(...ACTS.map((act) => ({ weight: OFTEN[act] ?? 1, arbitrary: fc.constant(act) }))),
  pick: fc.nat(100),
  filter,
});

function expectRight({ hosts, instance }: Scene): void {
  for (const host of hosts) {
    host.expectInOrder();
    const { outcome, isOver, asked } = host;
    if (outcome === 'opened' && (!isOver || asked.sink?.closing === 'end')) host.expectComplete();
    if (outcome === 'opened' && isEmpty(host.filter)) expect(asked.sink?.closing).toBe('end');
  }
  expect(instance.observer.gauge).toBe(instance.streams.open.size);
}

function expectNothingLeft({ broker, clock, observer, streams }: TestInstance): void {
  expect(streams.open.size).toBe(0);
  expect(observer.gauge).toBe(0);
  expect(broker.attached(TEST_SERVER)).toBe(0);
  clock.advance(0);
  expect(clock.pending).toBe(1);
}

describe('streams, in any order of events,', () => {
  it('acknowledge first, stay within what was honored, lose no change and leave nothing (SUB-04, INS-06, FIELD C1)', async () => {
    let told = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60, size: 'max' }), async (acts) => {
        const scene = new Scene();
        for (const { act, pick, filter } of acts) await scene.perform(act, pick, filter);
        await scene.settle();
        expectRight(scene);
        for (const { messages } of scene.hosts) told += messages.length;
        for (const { asked } of scene.hosts) asked.sink?.leave();
        expectNothingLeft(scene.instance);
      }),
      { numRuns: 300 },
    );
    // Shows that the acts do open streams, and that those are told of changes.
    expect(told).toBeGreaterThan(1_000);
  });
});
