import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenLinks, linksOf, readPages, unreachable } from './documentation.ts';
import { ROOT } from './workspace.ts';

const pages = readPages();
const text = (page: string) => pages.get(page) ?? '';

describe('the documentation', () => {
  it('is found by whoever begins with the README', () => {
    expect(unreachable(pages)).toEqual([]);
    const linked = linksOf('README.md', text('README.md')).map(({ path }) => path);
    const top = [...pages.keys()].filter((page) => dirname(page) === 'docs' && page !== 'docs/vocabulary.md');
    expect(linked).toEqual(expect.arrayContaining(top));
  });

  it('links to pages and headings that are there', () => {
    expect(brokenLinks(pages)).toEqual([]);
  });

  it('has pages that are read in one go, the generated list of settings aside', () => {
    const written = [...pages].filter(([page]) => page.startsWith('docs/') && page !== 'docs/configuration.md');
    const long = written.filter(([, content]) => content.trimEnd().split('\n').length > 40);
    expect(long.map(([page]) => page)).toEqual([]);
  });

  it('tells contributors of each suite', () => {
    const folders = globSync('test/*/**/*.test.ts', { cwd: ROOT, exclude: (name) => name === 'node_modules' });
    const suites = [...new Set(folders.map((file) => file.split('/').slice(0, 2).join('/')))].sort();
    expect(suites).toContain('test/guards');
    for (const suite of suites) expect(text('CONTRIBUTING.md')).toContain(`\n| \`${suite}\` |`);
  });

  it('starts services side by side on ports of their own', () => {
    const lines = Array.from(text('README.md').matchAll(/^(?:LG_ADMIN__PORT=(\d+) )?npm run start:\w+/gm));
    const ports = lines.map(([, port]) => Number(port ?? 9_090));
    expect(ports).toHaveLength(2);
    expect(new Set(ports).size).toBe(2);
  });
});

describe('a page', () => {
  const readme = '# Title\n[one](docs/one.md) [decisions](docs/decisions)\n';
  const found = new Map([
    ['README.md', readme],
    ['docs/one.md', '# One\n[back](../README.md#title)\n'],
    ['docs/decisions/1.md', '# First\n'],
  ]);

  it('would be missed where nothing leads to it', () => {
    expect(unreachable(found)).toEqual([]);
    expect(unreachable(new Map([...found, ['docs/two.md', '']]))).toEqual(['docs/two.md']);
  });

  it('would be found to lead nowhere', () => {
    expect(brokenLinks(found)).toEqual([]);
    const problems = brokenLinks(new Map([...found, ['docs/two.md', '[a](three.md) [b](one.md#two) [c](#four)']]));
    expect(problems).toEqual([
      'docs/two.md links to docs/three.md, which is not there',
      'docs/two.md links to docs/one.md#two, which is no heading',
      'docs/two.md links to docs/two.md#four, which is no heading',
    ]);
  });
});
