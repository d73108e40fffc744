import { describe, expect, it } from 'vitest';
import { ageOf, compareIds, readJournalEntry, readMessage } from './journal-entry.ts';

const message = { v: 1, id: '2-0', prev: '1-0', change: { method: 'notifications/tools/list_changed' } };

describe('a message on a channel', () => {
  it('is read with its place', () => {
    expect(readMessage(JSON.stringify(message))).toEqual({ id: '2-0', prev: '1-0', change: { kind: 'tools' } });
  });

  it('keeps its place if its change cannot be read', () => {
    const unknown = { ...message, change: { method: 'notifications/unheard_of' } };
    expect(readMessage(JSON.stringify(unknown))).toEqual({ id: '2-0', prev: '1-0', change: undefined });
  });

  it.each([
    ...['x', '', 'null', '[]', '{}', '7', '{"type":1}', '[['.repeat(500_000), '\u0000\ufffd'],
    JSON.stringify({ ...message, v: 2 }),
    JSON.stringify({ ...message, id: 7 }),
    JSON.stringify({ ...message, id: '2' }),
    JSON.stringify({ ...message, prev: undefined }),
  ])('is skipped if it has no place (FIELD E15)', (payload) => {
    expect(readMessage(payload)).toBe(undefined);
  });

  it('is skipped without a fault however deep it is nested (FIELD E15)', () => {
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
    const text = `{"v":1,"id":"2-0","prev":"1-0","change":{"method":"notifications/tasks","params":${deep}}}`;
    expect(() => readMessage(text)).not.toThrow();
  });
});

describe('an entry of a journal', () => {
  it('is read whatever else it carries', () => {
    const fields = ['note', 'prev', 'prev', '1-0', 'change', JSON.stringify(message.change)];
    expect(readJournalEntry(['2-0', fields])).toEqual({ id: '2-0', prev: '1-0', change: { kind: 'tools' } });
  });

  it('keeps its place without a change', () => {
    expect(readJournalEntry(['2-0', ['prev', '1-0']])).toEqual({ id: '2-0', prev: '1-0', change: undefined });
  });
});

describe('journal ids', () => {
  it('are ordered by number, not by letter', () => {
    expect(['10-0', '9-0', '9-10', '9-9'].toSorted(compareIds)).toEqual(['9-0', '9-9', '9-10', '10-0']);
  });
});

describe('the age of an entry', () => {
  it('is the time since Redis took it, and none where the clock of Redis is ahead', () => {
    const before = Date.now();
    const age = ageOf(`${before - 2_000}-7`);
    expect(age).toBeGreaterThanOrEqual(2_000);
    expect(age).toBeLessThanOrEqual(2_000 + Date.now() - before);
    expect(ageOf(`${before + 60_000}-0`)).toBe(0);
  });
});
