import { type Published, parsePublished } from '@listen-gateway/protocol';

/** `<ms>-<seq>`, the place of a change in its server's journal. */
export type JournalId = string;

/** The id before the first one. */
export const ORIGIN: JournalId = '0-0';

/** One change as it is on the channel and in the journal. */
export interface JournalEntry {
  readonly id: JournalId;
  /** The id of the entry before it: whoever has seen another one last has missed something. */
  readonly prev: JournalId;
  /** Undefined if it is no change that this version can read; it has its place all the same. */
  readonly change: Published | undefined;
}

/** Negative if `a` is before `b`. */
export function compareIds(a: JournalId, b: JournalId): number {
  const [aMs = 0, aSeq = 0] = a.split('-').map(Number);
  const [bMs = 0, bSeq = 0] = b.split('-').map(Number);
  return aMs - bMs || aSeq - bSeq;
}

/** How long ago Redis took an entry. Its clock may be ahead of the one here: then no time has passed. */
export function ageOf(id: JournalId): number {
  return Math.max(0, Date.now() - Number.parseInt(id, 10));
}

/** Reads what arrived on a channel; undefined if it has no place in a journal. Never throws: anybody may publish there. */
export function readMessage(text: string): JournalEntry | undefined {
  const message = parseJson(text);
  if (typeof message !== 'object' || message === null) return undefined;
  const { v, id, prev, change } = message as Record<string, unknown>;
  if (v !== 1 || !isJournalId(id) || !isJournalId(prev)) return undefined;
  return { id, prev, change: readChange(change) };
}

/** Reads one entry of a journal, as XRANGE returns it. */
export function readJournalEntry([id, fields]: RawEntry): JournalEntry {
  const prev = fieldOf(fields, 'prev');
  return { id, prev: isJournalId(prev) ? prev : '', change: readChange(parseJson(fieldOf(fields, 'change') ?? '')) };
}

/** An id, and its field names and values in turn. */
export type RawEntry = readonly [id: string, fields: readonly string[]];

function fieldOf(fields: readonly string[], name: string): string | undefined {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field === name);
  return at < 0 ? undefined : fields[at + 1];
}

function isJournalId(value: unknown): value is JournalId {
  return typeof value === 'string' && /^\d{1,20}-\d{1,20}$/.test(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readChange(json: unknown): Published | undefined {
  try {
    const parsed = parsePublished(json);
    return parsed.ok ? parsed.published : undefined;
  } catch {
    // A schema recurses, so JSON nested deeply enough overflows the stack.
    return undefined;
  }
}
