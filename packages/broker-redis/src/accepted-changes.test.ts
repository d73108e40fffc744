import { eventually, freshServerId } from '@listen-gateway/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Accepted, AcceptedChanges } from './accepted-changes.ts';
import { redisKeys } from './redis-keys.ts';

const serverId = freshServerId();
const keys = redisKeys('t:', serverId);
const accepted = (id: string, history = 'one'): Accepted => ({ serverId, keys, id, history });

let history: string | undefined;
let looked: string[];
let fails: boolean;

const owner = {
  historyOf: () => history,
  breakIfLost: async ({ id }: Accepted) => {
    looked.push(id);
    if (fails) throw new Error('out of reach');
  },
};

beforeEach(() => {
  history = 'one';
  looked = [];
  fails = false;
});

describe('what was accepted', () => {
  it('is not looked for while the data is the same or out of reach', async () => {
    const changes = new AcceptedChanges(owner, 60_000);
    changes.note(accepted('1-0'));
    await changes.look();
    history = undefined;
    await changes.look();
    expect(looked).toEqual([]);
  });

  it('is looked for once after the data became another, the latest of each server alone', async () => {
    const changes = new AcceptedChanges(owner, 60_000);
    changes.note(accepted('1-0'));
    changes.note(accepted('2-0'));
    history = 'two';
    await changes.look();
    await changes.look();
    expect(looked).toEqual(['2-0']);
  });

  it('is looked for although more was accepted since, on the other data', async () => {
    const changes = new AcceptedChanges(owner, 60_000);
    changes.note(accepted('1-0'));
    history = 'two';
    changes.note(accepted('2-0', 'two'));
    await eventually(5_000, 'the look', () => looked.length > 0);
    await changes.look();
    expect(looked).toEqual(['1-0']);
  });

  it('is looked for again until that works', async () => {
    const changes = new AcceptedChanges(owner, 60_000);
    changes.note(accepted('1-0'));
    history = 'two';
    fails = true;
    await changes.look();
    fails = false;
    await changes.look();
    await changes.look();
    expect(looked).toEqual(['1-0', '1-0']);
  });

  it('is forgotten once no journal would have it any more, and where there is more than can be remembered', async () => {
    const forgetful = new AcceptedChanges(owner, -1);
    forgetful.note(accepted('1-0'));
    history = 'two';
    await forgetful.look();
    expect(looked).toEqual([]);
    const full = new AcceptedChanges(owner, 60_000);
    full.note(accepted('oldest'));
    for (let n = 0; n < 10_000; n += 1) full.note({ ...accepted('newer'), serverId: freshServerId() });
    await full.look();
    expect(looked).toHaveLength(10_000);
    expect(looked).not.toContain('oldest');
  });
});
