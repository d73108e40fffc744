import { compareIds, type JournalEntry, type JournalId, ORIGIN } from './journal-entry.ts';

/**
 * What an instance knows of its place in one server's journal. Decisions only: the channel carries them out.
 *
 * Each entry names the one before it, so a message that does not follow the last one seen proves that something was
 * missed, and the journal is read from there on. Messages that arrive during a read are held until it is done.
 */
export type Continuity = Reading | Live;

export interface Reading {
  readonly phase: 'reading';
  /** Undefined before the first read: what was published earlier is of no interest. */
  readonly lastSeen: JournalId | undefined;
  readonly held: readonly JournalEntry[];
  /** How many of those held arrived before the read in flight began: the journal accounts for them. */
  readonly heldBefore: number;
  /** The read in flight began too early to prove anything. */
  readonly again: boolean;
  /** Changes may have been lost without a trace in the journal. */
  readonly doubted: boolean;
}

export interface Live {
  readonly phase: 'live';
  readonly lastSeen: JournalId;
  /** Messages up to here may still arrive although the read brought them; none after the first new one. */
  readonly duplicatesUpTo: JournalId;
}

/** Entries from the last seen one on, and the latest id, read in one step. */
export interface Page {
  readonly tip: JournalId;
  readonly entries: readonly JournalEntry[];
}

/** What to do: report the gap, then deliver in order, then, if `state` is reading, read on. */
export interface Step {
  readonly state: Continuity;
  readonly gap: boolean;
  readonly deliver: readonly JournalEntry[];
}

/** A subscription was confirmed: messages of before may be missing. `doubted`: and the journal may not tell which. */
export function resume(state: Continuity | undefined, doubted = false): Reading {
  if (state?.phase === 'reading') return { ...state, again: true, doubted: state.doubted || doubted };
  return { phase: 'reading', lastSeen: state?.lastSeen, held: [], heldBefore: 0, again: false, doubted };
}

/** A read from `state.lastSeen` is being sent. */
export function beginRead(state: Reading): Reading {
  return { ...state, heldBefore: state.held.length, again: false };
}

/** A message arrived. At most `heldBound` are held; beyond it they are dropped and read from the journal instead. */
export function followMessage(state: Continuity, entry: JournalEntry, heldBound: number): Step {
  if (state.phase === 'reading') return { state: hold(state, entry, heldBound), gap: false, deliver: [] };
  switch (judge(state, entry)) {
    case 'next':
      return { state: { ...state, lastSeen: entry.id, duplicatesUpTo: ORIGIN }, gap: false, deliver: [entry] };
    case 'duplicate':
      return { state, gap: false, deliver: [] };
    case 'broken':
      return { state: hold(resume(state), entry, heldBound), gap: false, deliver: [] };
  }
}

/** A read that began with `beginRead` was answered. */
export function followPage(state: Reading, page: Page): Step {
  const missed = missedIn(state.lastSeen, page);
  // A read that began before the doubt arose does not settle it.
  const doubted = state.doubted && state.lastSeen !== undefined && !state.again;
  const gap = missed === undefined || doubted;
  const lastSeen = missed?.at(-1)?.id ?? page.tip;
  const read = missed ?? [];
  if (state.again || lastSeen !== page.tip) {
    return { state: { ...state, lastSeen, doubted: state.doubted && state.again }, gap, deliver: read };
  }
  const { state: next, deliver } = replayHeld(state, lastSeen);
  return { state: next, gap, deliver: [...read, ...deliver] };
}

type Verdict = 'next' | 'duplicate' | 'broken';

function judge({ lastSeen, duplicatesUpTo }: Live, { id, prev }: JournalEntry): Verdict {
  if (prev === lastSeen && compareIds(id, lastSeen) > 0) return 'next';
  // A journal that begins again may count from below the last id seen: worth a read, although most are duplicates.
  if (compareIds(id, duplicatesUpTo) <= 0 && prev !== ORIGIN) return 'duplicate';
  return 'broken';
}

function hold(state: Reading, entry: JournalEntry, bound: number): Reading {
  if (state.held.length < bound) return { ...state, held: [...state.held, entry] };
  return { ...state, held: [], heldBefore: 0, again: true };
}

/** The entries after `lastSeen`; undefined where the page cannot prove that they are all there are. */
function missedIn(lastSeen: JournalId | undefined, { tip, entries }: Page): JournalEntry[] | undefined {
  if (lastSeen === undefined || lastSeen === tip) return [];
  const missed = entries[0]?.id === lastSeen ? entries.slice(1) : [...entries];
  let before = lastSeen;
  for (const { id, prev } of missed) {
    if (prev !== before) return undefined;
    before = id;
  }
  return missed.length > 0 ? missed : undefined;
}

function replayHeld({ held, heldBefore }: Reading, tip: JournalId): { state: Continuity; deliver: JournalEntry[] } {
  const deliver: JournalEntry[] = [];
  let live: Live = { phase: 'live', lastSeen: tip, duplicatesUpTo: tip };
  for (const [index, entry] of held.entries()) {
    const verdict = judge(live, entry);
    if (verdict === 'next') {
      live = { phase: 'live', lastSeen: entry.id, duplicatesUpTo: ORIGIN };
      deliver.push(entry);
    } else if (verdict === 'broken' && index >= heldBefore) {
      return { state: { ...resume(live), held: held.slice(index) }, deliver };
    } else if (verdict === 'broken' && compareIds(entry.id, tip) > 0 && entry.change?.kind !== 'task') {
      // Published before the read and yet not in the journal: by a primary that has lost its place, or by a stranger.
      // A task's state from there may be older than what hosts were told since (P-4.3); if it was accepted at all, its
      // publisher breaks the journal, and hosts read the task again.
      deliver.push(entry);
    }
  }
  return { state: live, deliver };
}
