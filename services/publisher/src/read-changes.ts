import { type Change, type Problem, parseChange } from '@listen-gateway/protocol';

/** The most changes that one request may carry. */
export const MAX_CHANGES = 1_000;

export interface ReadChanges {
  readonly changes: readonly Change[];
  /** Where the first change stands in the body: pointers into a batch begin with it. */
  readonly at: (index: number) => Problem['path'];
}

export type ReadBody =
  | ({ readonly ok: true } & ReadChanges)
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads the body of a publish: one change, or `{"changes": […]}`. One bad change makes all of it bad. */
export function readChanges(json: unknown): ReadBody {
  if (Array.isArray(json)) return refused([], 'must be an object; wrap several changes in {"changes": […]}');
  if (!isObject(json)) return refused([], 'must be an object: one change, or {"changes": […]}');
  if (!Object.hasOwn(json, 'changes')) return readEach([json], () => []);

  const { changes, ...others } = json;
  const strays = Object.keys(others).map((name) => ({
    path: [name],
    message: `unknown member "${name}" beside "changes"; remove it, or move it into the change it belongs to`,
  }));
  if (strays.length > 0) return { ok: false, problems: strays };
  if (!Array.isArray(changes)) return refused(['changes'], 'must be an array of changes');
  if (changes.length === 0) return refused(['changes'], 'must hold at least one change');
  if (changes.length > MAX_CHANGES) {
    return refused(['changes'], `holds ${changes.length} changes; send at most ${MAX_CHANGES} in one request`);
  }
  return readEach(changes, (index) => ['changes', index]);
}

function readEach(members: readonly unknown[], at: ReadChanges['at']): ReadBody {
  const changes: Change[] = [];
  const problems: Problem[] = [];
  for (const [index, member] of members.entries()) {
    const parsed = parseChange(member);
    if (parsed.ok) changes.push(parsed.change);
    else problems.push(...parsed.problems.map(({ path, message }) => ({ path: [...at(index), ...path], message })));
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, changes, at };
}

function refused(path: Problem['path'], message: string): ReadBody {
  return { ok: false, problems: [{ path, message }] };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
