import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { anchorOf, readRunbook } from './runbook-page.ts';
import { ROOT } from './workspace.ts';

/** Where a link of a page leads: a path from the root of the repository, and the heading asked for there. */
export interface Link {
  readonly path: string;
  readonly anchor: string;
}

/** Pages of the repository by path, with their text. */
export type Pages = ReadonlyMap<string, string>;

/** Every page that is under version control; one that is still being written is nobody's business yet. */
export function readPages(): Pages {
  const listed = execFileSync('git', ['ls-files', '-z', '--', '*.md'], { cwd: ROOT, encoding: 'utf8' });
  const paths = listed.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)));
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

/** The links of a page to what is in the repository. */
export function linksOf(page: string, text: string): readonly Link[] {
  return readRunbook(page, text)
    .links.filter(({ path }) => !/^https?:/.test(path))
    .map(({ path, anchor }) => ({ path: path === '' ? page : normalize(join(dirname(page), path)), anchor }));
}

/** Links that lead nowhere, each with the page that it is on. */
export function brokenLinks(pages: Pages): readonly string[] {
  return [...pages].flatMap(([page, text]) =>
    linksOf(page, text).flatMap(({ path, anchor }) => {
      const target = pages.get(path);
      if (target === undefined)
        return existsSync(join(ROOT, path)) ? [] : [`${page} links to ${path}, which is not there`];
      const anchors = readRunbook(path, target).headings.map(anchorOf);
      return anchor === '' || anchors.includes(anchor)
        ? []
        : [`${page} links to ${path}#${anchor}, which is no heading`];
    }),
  );
}

/** Pages that nobody finds who begins with the README and follows links; one to a folder leads to all pages in it. */
export function unreachable(pages: Pages): readonly string[] {
  const reached = new Set(['README.md']);
  for (const page of reached) {
    for (const { path } of linksOf(page, pages.get(page) ?? '')) {
      for (const other of pages.keys()) if (other === path || dirname(other) === path) reached.add(other);
    }
  }
  return [...pages.keys()].filter((page) => !reached.has(page));
}
