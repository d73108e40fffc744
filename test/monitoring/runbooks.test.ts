import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY, readShipped } from '../deploy/repository.ts';
import { ALERT_RULES } from './rules.ts';

const BLOB = 'https://github.com/listen-gateway/listen-gateway/blob/main/';

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(page: string): readonly string[] {
  return Array.from(readShipped(page).matchAll(/^#+ +(.+?) *$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** What is wrong with where a runbook is said to be. */
function runbookProblem(url: string): string | undefined {
  const [page = '', anchor = ''] = url.replace(BLOB, '').split('#');
  if (!url.startsWith(BLOB)) return `${url} is not in the repository`;
  if (!existsSync(join(REPOSITORY, page))) return `there is no ${page}`;
  return anchorsOf(page).includes(anchor) ? undefined : `${page} has no heading for #${anchor}`;
}

describe('the runbook of an alert', () => {
  it.each(ALERT_RULES.map(({ alert, annotations }) => [alert, annotations.runbook_url]))(
    '%s is a part of its own of a page that there is',
    (alert, url) => {
      expect(runbookProblem(url)).toBeUndefined();
      expect(url).toMatch(new RegExp(`/docs/operations/[a-z-]+\\.md#${alert.toLowerCase()}$`));
    },
  );

  it('would be missed where a page or a heading is not there', () => {
    expect(runbookProblem('https://example.org/runbook')).toContain('not in the repository');
    expect(runbookProblem(`${BLOB}docs/operations/nowhere.md#x`)).toBe('there is no docs/operations/nowhere.md');
    expect(runbookProblem(`${BLOB}README.md#listengatewayx`)).toBe('README.md has no heading for #listengatewayx');
    expect(runbookProblem(`${BLOB}README.md#try-it`)).toBeUndefined();
  });

  it('is no part of a page for an alert that there is not', () => {
    const alerts = ALERT_RULES.map(({ alert }) => alert.toLowerCase());
    const pages = globSync('docs/operations/*.md', { cwd: REPOSITORY });
    const told = pages.flatMap(anchorsOf).filter((anchor) => /^listengateway\w+$/.test(anchor));
    expect(told.filter((anchor) => !alerts.includes(anchor))).toEqual([]);
  });
});
