import { describe, expect, it } from 'vitest';
import { beginRead, followMessage, followPage, type Live, type Reading, resume } from './continuity.ts';
import type { JournalEntry } from './journal-entry.ts';

const BOUND = 10;

/** Entries whose places follow each other: `chain('1-0', '2-0')` is one entry, 2-0. */
function chain(...ids: string[]): JournalEntry[] {
  return ids.slice(1).map((id, index) => ({ id, prev: ids[index]!, change: { kind: 'tools' } }));
}

function liveAt(lastSeen: string, duplicatesUpTo = lastSeen): Live {
  return { phase: 'live', lastSeen, duplicatesUpTo };
}

function readingFrom(lastSeen: string, ...held: JournalEntry[]): Reading {
  return { phase: 'reading', lastSeen, held, heldBefore: 0, again: false, doubted: false };
}

describe('the continuity of a live channel', () => {
  it('follows a message whose predecessor was the last one seen', () => {
    const [entry] = chain('5-0', '5-1');
    expect(followMessage(liveAt('5-0'), entry!, BOUND)).toEqual({
      state: liveAt('5-1', '0-0'),
      gap: false,
      deliver: [entry],
    });
  });

  it('drops what the read before it brought', () => {
    const [entry] = chain('3-0', '4-0');
    expect(followMessage(liveAt('5-0'), entry!, BOUND)).toEqual({ state: liveAt('5-0'), gap: false, deliver: [] });
  });

  it.each([
    ['a predecessor that was not seen', chain('6-0', '7-0'), liveAt('5-0')],
    [
      'an id from before, once a new message proved that no duplicate is under way',
      chain('3-0', '4-0'),
      liveAt('6-0', '0-0'),
    ],
    ['a journal that begins again', chain('0-0', '4-0'), liveAt('5-0')],
    ['an id that did not grow', chain('5-0', '5-0'), liveAt('5-0', '0-0')],
  ])('reads the journal after %s', (_, [entry], state) => {
    const step = followMessage(state, entry!, BOUND);
    expect(step).toMatchObject({
      gap: false,
      deliver: [],
      state: { phase: 'reading', lastSeen: state.lastSeen, held: [entry] },
    });
  });
});

describe('the continuity of a channel that reads its journal', () => {
  it('begins at the latest id when nothing was seen yet', () => {
    const step = followPage(resume(undefined), { tip: '9-0', entries: [] });
    expect(step).toEqual({ state: liveAt('9-0'), gap: false, deliver: [] });
  });

  it('delivers what was missed, then what arrived meanwhile, each once', () => {
    const [six, seven, eight] = chain('5-0', '6-0', '7-0', '8-0');
    const step = followPage(readingFrom('5-0', seven!, eight!), {
      tip: '7-0',
      entries: [...chain('4-0', '5-0'), six!, seven!],
    });
    expect(step).toEqual({ state: liveAt('8-0', '0-0'), gap: false, deliver: [six, seven, eight] });
  });

  it('proves continuity by the first entry left if the last one seen is trimmed', () => {
    const [six] = chain('5-0', '6-0');
    expect(followPage(readingFrom('5-0'), { tip: '6-0', entries: [six!] })).toMatchObject({
      gap: false,
      deliver: [six],
    });
  });

  it('reads on page by page', () => {
    const [six, seven] = chain('5-0', '6-0', '7-0');
    const step = followPage(readingFrom('5-0'), { tip: '7-0', entries: [...chain('4-0', '5-0'), six!] });
    expect(step).toMatchObject({ state: { phase: 'reading', lastSeen: '6-0' }, deliver: [six] });
    const next = followPage(beginRead(step.state as Reading), { tip: '7-0', entries: [six!, seven!] });
    expect(next).toMatchObject({ state: liveAt('7-0'), deliver: [seven] });
  });

  it.each([
    ['was trimmed past the last one seen', { tip: '9-0', entries: chain('8-0', '9-0') }],
    ['is empty although changes were published', { tip: '9-0', entries: [] }],
    ['went backwards', { tip: '3-0', entries: [] }],
    ['has a hole', { tip: '9-0', entries: [...chain('4-0', '5-0', '6-0'), ...chain('8-0', '9-0')] }],
  ])('reports a gap and goes on at the latest id if the journal %s', (_, page) => {
    expect(followPage(readingFrom('5-0'), page)).toEqual({ state: liveAt(page.tip), gap: true, deliver: [] });
  });

  it('reports a gap beside what it delivers if the data has become another, once', () => {
    const [six, seven] = chain('5-0', '6-0', '7-0');
    const step = followPage(beginRead(resume(liveAt('5-0'), true)), { tip: '7-0', entries: [six!] });
    expect(step).toMatchObject({ state: { phase: 'reading', doubted: false }, gap: true, deliver: [six] });
    const next = followPage(beginRead(step.state as Reading), { tip: '7-0', entries: [six!, seven!] });
    expect(next).toEqual({ state: liveAt('7-0'), gap: false, deliver: [seven] });
  });

  it('reports no gap to nobody: whoever has seen nothing has missed nothing', () => {
    expect(followPage(resume(undefined, true), { tip: '5-0', entries: [] })).toMatchObject({ gap: false });
  });

  it('is not done with a doubt that arose while it read', () => {
    const step = followPage(resume(readingFrom('5-0'), true), { tip: '5-0', entries: [] });
    expect(step).toMatchObject({ state: { phase: 'reading', doubted: true }, gap: false });
    expect(followPage(beginRead(step.state as Reading), { tip: '5-0', entries: [] })).toMatchObject({ gap: true });
  });

  it('reads again after a subscription that was confirmed while it read', () => {
    const step = followPage(resume(readingFrom('5-0')), { tip: '5-0', entries: [] });
    expect(step.state).toMatchObject({ phase: 'reading', lastSeen: '5-0' });
  });

  it('drops held messages beyond the bound and reads again', () => {
    const [six, seven] = chain('5-0', '6-0', '7-0');
    const { state } = followMessage(readingFrom('5-0', six!), seven!, 1);
    expect(state).toMatchObject({ held: [], again: true });
  });

  it('delivers a message that arrived before the read and is not in the journal, and keeps its place', () => {
    const [stray] = chain('7-0', '8-0');
    const step = followPage(beginRead(readingFrom('5-0', stray!)), { tip: '5-0', entries: [] });
    expect(step).toEqual({ state: liveAt('5-0'), gap: false, deliver: [stray] });
  });

  it('does not deliver the state of a task from there, which may be older than what is known (P-4.3)', () => {
    const change = { kind: 'task', task: { taskId: 't', status: 'working' } } as const;
    const step = followPage(beginRead(readingFrom('5-0', { id: '8-0', prev: '7-0', change })), {
      tip: '5-0',
      entries: [],
    });
    expect(step).toEqual({ state: liveAt('5-0'), gap: false, deliver: [] });
  });

  it('reads again after a message of a journal that began again during the read', () => {
    const [first] = chain('0-0', '4-0');
    const step = followPage(readingFrom('5-0', first!), { tip: '5-0', entries: [] });
    expect(step.state).toMatchObject({ phase: 'reading', lastSeen: '5-0', held: [first] });
  });

  it('reads again after a message that arrived during the read and does not follow it', () => {
    const [stray] = chain('7-0', '8-0');
    const step = followPage(readingFrom('5-0', stray!), { tip: '5-0', entries: [] });
    expect(step).toMatchObject({
      gap: false,
      deliver: [],
      state: { phase: 'reading', lastSeen: '5-0', held: [stray] },
    });
  });
});
