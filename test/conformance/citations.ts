import type { Requirement } from './requirements.ts';

const ID = /\b(?:P-\d+(?:\.\d+)?|SUB-\d+|INS-\d+)\b/g;
/** A line that is comment from its first character: an id in it is no claim of a test. */
const COMMENT_LINE = /^\s*(?:\/\/|\/?\*).*$/gm;

/** The ids that the text of a test file cites. */
export function citedIds(text: string): ReadonlySet<string> {
  return new Set(text.replace(COMMENT_LINE, '').match(ID) ?? []);
}

/** What is wrong between the requirements and the tests, given by path and text; empty where nothing is. */
export function findings(requirements: readonly Requirement[], tests: ReadonlyMap<string, string>): readonly string[] {
  const known = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  const cited = new Map<string, string>();
  for (const [path, text] of tests) for (const id of citedIds(text)) cited.set(id, path);
  const stray = [...cited]
    .filter(([id]) => !known.has(id))
    .map(([id, path]) => `${path} cites ${id}, which nobody wrote down`);
  const wrong = requirements.flatMap((requirement) => {
    const { id } = requirement;
    const path = cited.get(id);
    if ('later' in requirement) {
      return path === undefined ? [] : [`${path} cites ${id}, which is marked as later: ${requirement.later}`];
    }
    return path === undefined ? [`${id} is cited by no test: ${requirement.says}`] : [];
  });
  const twice = requirements.filter((requirement) => known.get(requirement.id) !== requirement);
  return [...stray, ...wrong, ...twice.map(({ id }) => `${id} is written down twice`)];
}
