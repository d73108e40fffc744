import { describe, expect, it } from 'vitest';
import { check } from './checker.ts';
import type { CampaignRecord, Effects } from './records.ts';
import type { ViolationKind } from './violation.ts';

const FILTER = { toolsListChanged: true, resourceSubscriptions: ['a:1'], taskIds: ['t'] };
const on = { stream: 1 };

/** A stream that opens at 100 and lives, on an instance that is well; the campaign is over at 60,000. */
const STREAM: readonly CampaignRecord[] = [
  { type: 'asked', at: 90, ...on, instance: 'one', server: 's', id: '7', requested: FILTER },
  { type: 'acknowledged', at: 100, ...on, tag: '7', honored: FILTER },
  { type: 'settled', at: 2_000, instance: 'one', since: 1_500 },
  { type: 'settled', at: 40_000, instance: 'one', since: 39_500 },
  { type: 'over', at: 60_000 },
];

const notified = (at: number, key = 'tools', rest: object = {}): CampaignRecord => {
  return { type: 'notified', at, ...on, tag: '7', key, ...rest };
};

/** One attempt to publish and its answer. */
function publish(
  at: number,
  status: number,
  options: { key?: string; seq?: number; attempt?: number; publish?: number } = {},
) {
  const { key = 'tools', seq, attempt = at, publish: group = attempt } = options;
  const change = { key, ...(seq !== undefined && { seq }) };
  const records: CampaignRecord[] = [
    { type: 'published', at, attempt, publish: group, publisher: 'publisher', server: 's', changes: [change] },
  ];
  if (status > 0) {
    const retryAfterS = status === 503 ? 1 : undefined;
    records.push({ type: 'answered', at: at + 10, attempt, status, replayed: false, retryAfterS });
  }
  return records;
}

function fault(at: number, healAt: number, effects: Effects): CampaignRecord {
  const times = { at, injectedAt: at, healAt, healedAt: healAt, settledAt: healAt + 500 };
  return { type: 'fault', number: 0, name: 'a fault', ...times, effects };
}

const kinds = (...records: readonly (CampaignRecord | readonly CampaignRecord[])[]): ViolationKind[] => [
  ...new Set(check([...STREAM, ...records.flat()]).map(({ kind }) => kind)),
];

describe('the checker, of an accepted change,', () => {
  it('is content where its signal follows', () => {
    expect(kinds(publish(1_000, 202), notified(1_020))).toEqual([]);
  });

  it('is content where a later signal of its key stands for it', () => {
    expect(kinds(publish(1_000, 202), publish(1_001, 202), notified(1_020))).toEqual([]);
    const states = [publish(1_000, 202, { key: 'task:t', seq: 1 }), publish(1_500, 202, { key: 'task:t', seq: 2 })];
    expect(kinds(...states, notified(1_520, 'task:t', { seq: 2 }))).toEqual([]);
  });

  it('notices that no signal follows', () => {
    expect(kinds(publish(1_000, 202))).toEqual(['unsignalled']);
    expect(kinds(publish(1_000, 202, { key: 'uri:a:1' }))).toEqual(['unsignalled']);
  });

  it('takes no signal of before the publish, and none of an older state, for its own', () => {
    expect(kinds(publish(500, 202), notified(600), publish(1_000, 202))).toEqual(['unsignalled']);
    const states = [publish(500, 202, { key: 'task:t', seq: 1 }), publish(1_000, 202, { key: 'task:t', seq: 2 })];
    expect(kinds(...states, notified(1_520, 'task:t', { seq: 1 }))).toEqual(['unsignalled']);
  });

  it('takes the signal of an earlier attempt under the same key for its own', () => {
    const attempts = [publish(1_000, 503, { publish: 5 }), publish(4_000, 202, { publish: 5 })];
    expect(kinds(...attempts, notified(1_020))).toEqual([]);
  });

  it('notices a signal that comes long after the instance was known to have the change', () => {
    expect(kinds(publish(1_000, 202), notified(7_100))).toEqual(['late']);
  });

  it('waits as long as the instance could not have it', () => {
    expect(kinds(publish(3_000, 202), notified(44_900))).toEqual([]);
    expect(kinds(publish(3_000, 202), notified(45_100))).toEqual(['late']);
  });

  it('asks nothing of a stream that did not want it, came later, or ended before', () => {
    expect(kinds(publish(1_000, 202, { key: 'prompts' }))).toEqual([]);
    expect(kinds(publish(50, 202))).toEqual([]);
    expect(kinds(publish(1_000, 202), { type: 'ended', at: 6_000, ...on, how: 'left' })).toEqual([]);
  });

  it('asks it of a stream that ended later', () => {
    expect(kinds(publish(1_000, 202), { type: 'ended', at: 7_500, ...on, how: 'left' })).toEqual(['unsignalled']);
  });

  it('waits for a host that does not read', () => {
    const stall: CampaignRecord[] = [
      { type: 'stalled', at: 900, ...on },
      { type: 'resumed', at: 20_000, ...on },
    ];
    expect(kinds(publish(1_000, 202), ...stall, notified(20_100))).toEqual([]);
    expect(kinds(publish(1_000, 202), ...stall)).toEqual(['unsignalled']);
  });

  it('asks nothing of a publish that was refused or is unclear', () => {
    expect(kinds(publish(1_000, 503), publish(2_000, 0), publish(3_000, 422))).toEqual([]);
    expect(kinds(publish(1_000, 503), notified(1_020))).toEqual([]);
  });
});

describe('the checker, of a stream,', () => {
  it('notices what precedes the acknowledgement, and a second one', () => {
    expect(kinds(publish(80, 202), notified(95))).toEqual(['not-acknowledged-first']);
    expect(kinds({ type: 'acknowledged', at: 200, ...on, tag: '7', honored: FILTER })).toEqual([
      'not-acknowledged-first',
    ]);
  });

  it('notices a tag that is missing, or another, or of another type', () => {
    for (const tag of ['', '8', '"7"']) {
      expect(kinds(publish(1_000, 202), notified(1_020, 'tools', { tag }))).toEqual(['wrong-tag']);
    }
    expect(kinds({ type: 'completed', at: 200, ...on, tag: '7', id: '"7"' })).toEqual(['wrong-tag']);
  });

  it('notices what is outside of the honored filter, and an honored filter outside of the requested one', () => {
    expect(kinds(publish(1_000, 202, { key: 'prompts' }), notified(1_020, 'prompts'))).toEqual(['outside-filter']);
    const more = { type: 'acknowledged', at: 95, ...on, tag: '7', honored: { promptsListChanged: true } } as const;
    expect(kinds(more)).toContain('outside-filter');
  });

  it('notices what follows the result, and what is no message at all', () => {
    const result: CampaignRecord = { type: 'completed', at: 900, ...on, tag: '7', id: '7' };
    expect(kinds(result, publish(1_000, 202), notified(1_020))).toEqual(['after-the-end']);
    expect(kinds({ type: 'garbled', at: 900, ...on, text: '{' })).toEqual(['garbled']);
  });

  it('notices a state of a task that follows a newer one', () => {
    const states = [1, 2].map((seq) => publish(1_000 + seq, 202, { key: 'task:t', seq }));
    const told = [2, 1].map((seq, index) => notified(1_020 + index, 'task:t', { seq }));
    expect(kinds(...states, ...told)).toEqual(['task-order']);
  });

  it('notices an end that nobody caused, and excuses those that somebody did', () => {
    const cut: CampaignRecord = { type: 'ended', at: 30_000, ...on, how: 'cut' };
    expect(kinds(cut)).toEqual(['ended-without-cause']);
    expect(kinds(cut, { type: 'stalled', at: 25_000, ...on })).toEqual([]);
    expect(kinds(cut, { type: 'stopped', at: 29_990, service: 'one', how: 'killed' })).toEqual([]);
    expect(kinds(cut, { type: 'stopped', at: 29_990, service: 'one', how: 'frozen' })).toEqual(['ended-without-cause']);
    const gap: CampaignRecord = { type: 'gap', at: 30_010, instance: 'one', server: 's' };
    expect(kinds(cut, gap, fault(29_000, 29_500, { mayGap: true }))).toEqual([]);
  });
});

describe('the checker, of how often a stream is signalled,', () => {
  const gap: CampaignRecord = { type: 'gap', at: 1_500, instance: 'one', server: 's' };
  const loss = fault(1_000, 1_500, { mayGap: true });

  it('notices more signals than publishes explain', () => {
    expect(kinds(publish(1_000, 202), notified(1_020), notified(1_030))).toEqual(['excess']);
    expect(kinds(notified(1_020))).toEqual(['excess']);
  });

  it('excuses one more for each gap, but not of a task', () => {
    expect(kinds(publish(1_000, 202), notified(1_020), notified(1_600), gap, loss)).toEqual([]);
    const told = [1_020, 1_600].map((at) => notified(at, 'task:t', { seq: 1 }));
    expect(kinds(publish(1_000, 202, { key: 'task:t', seq: 1 }), ...told, gap, loss)).toEqual(['excess']);
  });

  it('counts attempts under one idempotency key once, and others each', () => {
    const twice = [notified(1_020), notified(2_020)];
    expect(kinds(publish(1_000, 503, { publish: 5 }), publish(2_000, 202, { publish: 5 }), ...twice)).toEqual([
      'excess',
    ]);
    expect(kinds(publish(1_000, 503), publish(2_000, 202), ...twice)).toEqual([]);
  });

  it('lets a publish that was refused for good explain nothing', () => {
    expect(kinds(publish(1_000, 422, { key: 'uri:a:1' }), notified(1_020, 'uri:a:1'))).toEqual(['excess']);
  });
});

describe('the checker, of an outage,', () => {
  const cutOff = { services: ['one', 'publisher'], noticedMs: 2_000 };
  const outage = fault(10_000, 20_000, { cutOff });
  const health = (askedAt: number, live: number, ready: number): CampaignRecord => {
    return { type: 'health', at: askedAt + 10, askedAt, service: 'one', live, ready };
  };

  it('notices a publish that was accepted in it', () => {
    expect(kinds(outage, publish(15_000, 202), notified(15_020))).toEqual(['accepted-while-cut-off']);
  });

  it('notices a stream that was acknowledged in it', () => {
    const late = { stream: 2 };
    const asked: CampaignRecord = { ...STREAM[0], ...late, at: 15_000 } as CampaignRecord;
    const acknowledged: CampaignRecord = { ...STREAM[1], ...late, at: 15_010 } as CampaignRecord;
    expect(kinds(outage, asked, acknowledged)).toEqual(['acknowledged-while-cut-off']);
  });

  it('wants services to live, and not to be ready as soon as they can know', () => {
    expect(kinds(outage, health(11_000, 200, 200), health(13_000, 200, 503), health(30_000, 200, 200))).toEqual([]);
    expect(kinds(outage, health(13_000, 503, 503))).toEqual(['not-live']);
    expect(kinds(outage, health(13_000, 200, 200))).toEqual(['wrong-readiness']);
    expect(kinds(outage, health(30_000, 200, 503))).toEqual(['wrong-readiness']);
  });

  it('wants refusals with Retry-After, in time', () => {
    const refused = { type: 'refused', at: 15_000, stream: 2, status: 503 } as const;
    const asked: CampaignRecord = { ...STREAM[0], stream: 2, at: 14_000 } as CampaignRecord;
    expect(kinds(asked, { ...refused, retryAfterS: 3 })).toEqual([]);
    expect(kinds(asked, { ...refused, retryAfterS: undefined })).toEqual(['bad-refusal']);
    const [published] = publish(15_000, 0);
    const answer = { type: 'answered', attempt: 15_000, status: 503, replayed: false } as const;
    expect(kinds(published!, { ...answer, at: 15_500, retryAfterS: undefined })).toEqual(['bad-answer']);
    expect(kinds(published!, { ...answer, at: 25_500, retryAfterS: 1 })).toEqual(['bad-answer']);
    expect(kinds(published!, { ...answer, at: 15_500, status: 500, retryAfterS: undefined })).toEqual(['bad-answer']);
  });
});

describe('the checker, of processes and gaps,', () => {
  const exited = (how: number | string, wanted: boolean): CampaignRecord => {
    return { type: 'exited', at: 1_000, service: 'one', how, wanted };
  };

  it('notices a process that died by itself, or did not end well when it was told to', () => {
    expect(kinds(exited(1, false))).toEqual(['died']);
    expect(kinds(exited('SIGKILL', true), { type: 'stopped', at: 900, service: 'one', how: 'killed' })).toEqual([]);
    const told: CampaignRecord = { type: 'stopped', at: 900, service: 'one', how: 'terminated' };
    expect(kinds(exited(0, true), told)).toEqual([]);
    expect(kinds(exited(1, true), told)).toEqual(['bad-exit']);
  });

  it('notices an instance that does not recover, and a gap where nothing was lost', () => {
    expect(kinds({ type: 'unsettled', at: 30_000, service: 'one', since: 10_000 })).toEqual(['not-recovered']);
    expect(kinds({ type: 'gap', at: 30_000, instance: 'one', server: 's' })).toEqual(['gap-without-cause']);
  });
});
