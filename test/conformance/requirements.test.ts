import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { citedIds, findings } from './citations.ts';
import { REQUIREMENTS, type Requirement } from './requirements.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Every test file by its path; this one names ids that no test cites. */
function testFiles(): ReadonlyMap<string, string> {
  const paths = globSync('{packages,services,test}/**/*.test.ts', {
    cwd: ROOT,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  });
  const others = paths.filter((path) => path !== relative(ROOT, import.meta.filename));
  return new Map(others.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

describe('every requirement', () => {
  it('is cited by a test, or marked with what will bring it, and every cited id is a requirement', () => {
    const tests = testFiles();
    expect(tests.size).toBeGreaterThan(50);
    expect(findings(REQUIREMENTS, tests)).toEqual([]);
  });

  it('says what it is in one sentence', () => {
    for (const { says } of REQUIREMENTS) expect(says).toMatch(/^[A-Z\ds][^.]*(\.\w[^.]*)*\.$/);
  });
});

describe('the gate of requirements', () => {
  const kept: Requirement = { id: 'P-1.1', since: '0.1.0', says: 'A listen is answered.' };
  const later: Requirement = { id: 'P-3.1', later: 'comes with authorization', says: 'A token is needed.' };
  const requirements = [kept, later];
  const named = (name: string) => new Map([['some.test.ts', `it('${name}', () => {});`]]);

  it('lets pass what is cited, and what is not where it is marked as later', () => {
    expect(findings(requirements, named('answers a listen (P-1.1)'))).toEqual([]);
  });

  it('names a requirement that no test cites', () => {
    expect(findings(requirements, named('answers a listen'))).toEqual([
      'P-1.1 is cited by no test: A listen is answered.',
    ]);
  });

  it('names a cited id that is no requirement, and where it is cited', () => {
    expect(findings(requirements, named('answers (P-1.1, P-1.99, SUB-77)'))).toEqual([
      'some.test.ts cites P-1.99, which nobody wrote down',
      'some.test.ts cites SUB-77, which nobody wrote down',
    ]);
  });

  it('names a requirement that is marked as later although a test cites it', () => {
    expect(findings(requirements, named('answers (P-1.1, P-3.1)'))).toEqual([
      'some.test.ts cites P-3.1, which is marked as later: comes with authorization',
    ]);
  });

  it('names a requirement that is written down twice', () => {
    expect(findings([kept, { ...kept }], named('answers (P-1.1)'))).toEqual(['P-1.1 is written down twice']);
  });

  it('takes no id of a comment for a claim, and no other word for an id', () => {
    expect([
      ...citedIds("// P-1.1\n  /** P-1.2\n   * P-1.3 */\nit('http://a (P-1.4)', SEP-2663, HTTP-1.1, INS-01)"),
    ]).toEqual(['P-1.4', 'INS-01']);
  });
});
