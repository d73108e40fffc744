import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPattern, Patterns } from './patterns.ts';

const covers = (pattern: string, name: string) => new Patterns([pattern]).has(name);

describe('a pattern', () => {
  it.each([
    ['file:///teams/a/**', 'file:///teams/a'],
    ['file:///teams/a/**', 'file:///teams/a/'],
    ['file:///teams/a/**', 'file:///teams/a/b/c?d=../e#f'],
    ['file:///**', 'file:///anything'],
    ['ticket://acme/**', 'ticket://acme/17'],
    ['file:///a', 'file:///a'],
    ['file:///a*', 'file:///a*'],
    ['**', 'urn:anything'],
    ['**', ''],
  ])('%j covers %j', (pattern, name) => {
    expect(covers(pattern, name)).toBe(true);
  });

  it.each([
    ['file:///teams/a/**', 'file:///teams/ab'],
    ['file:///teams/a/**', 'file:///teams/a-b/c'],
    ['file:///teams/a/**', 'file:///teams/a?b'],
    ['file:///teams/a/**', 'file:///teams/A/b'],
    ['file:///teams/a/**', 'FILE:///teams/a/b'],
    ['file:///teams/a/**', 'file:///teams'],
    ['file:///teams/a/**', ' file:///teams/a/b'],
    ['file:///teams/**/b', 'file:///teams/a/b'],
    ['file:///teams/*', 'file:///teams/a'],
    ['file:///a', 'file:///a/b'],
    ['file:///a', 'file:///a/'],
    ['file:///a**', 'file:///ab'],
    ['.*', 'file:///a'],
    ['', 'file:///a'],
  ])('%j does not cover %j', (pattern, name) => {
    expect(covers(pattern, name)).toBe(false);
  });

  it.each([
    'http://h/a/../b',
    'http://h/a/./b',
    'http://h/a/..',
    'http://h/a/%2E%2e/b',
    'http://h/a/.%2E/b',
    'http://h/a/..%2Fb',
    'http://h/a/..%5cb',
    'http://h/a/..\\b',
    'http://h/a/.\t./b',
    'http://h/a/..;x=1/b',
  ])('for what is beneath a path does not cover %j, which may climb out of it, but by its own name', (uri) => {
    expect(covers('http://h/a/**', uri)).toBe(false);
    expect(covers(uri, uri)).toBe(true);
    expect(new Patterns(['http://h/a/**', uri]).has(uri)).toBe(true);
  });

  it('covers a tree only where it covers all beneath (P-1.11)', () => {
    const { trees } = new Patterns(['file:///a/**', 'file:///b']);
    expect(['file:///a', 'file:///a/x', 'file:///b'].map((uri) => trees.has(uri))).toEqual([true, true, false]);
    expect(new Patterns(['**']).trees.has('file:///b')).toBe(true);
  });

  it.each(['**', 'file:///a/**', 'file:///a', 'urn:a:b'])('may be configured as %j', (text) => {
    expect(isPattern(text)).toBe(true);
  });

  it.each(['', '*', 'file:///*', 'file:///a*/**', 'file:///**/b', 'a**', '***'])('may not be %j', (text) => {
    expect(isPattern(text)).toBe(false);
  });

  it('costs no more than its length, whatever it is made of', () => {
    const patterns = new Patterns(Array.from({ length: 400 }, (_, index) => `a/${index}/**`).concat('a/**'));
    const hostile = [
      'a/'.repeat(4_096),
      `a/${'%2e'.repeat(2_700)}`,
      `a/${'.'.repeat(8_000)}`,
      `a/${'/..x'.repeat(2_000)}`,
    ];
    const startedAt = performance.now();
    for (const uri of hostile) for (let round = 0; round < 125; round += 1) patterns.has(uri);
    expect(performance.now() - startedAt, 'milliseconds for 4 MiB of URIs, as many as a body has').toBeLessThan(500);
  });
});

const segment = fc.constantFrom('', 'a', 'b', 'ab', 'A', '*', '**', '.', '..', '%2e%2E', '..;a', 'a?b', 'a#..');
const uri = fc.array(segment, { maxLength: 5 }).map((segments) => `http://h/${segments.join('/')}`);

describe('patterns', () => {
  it('cover what a comparison segment by segment covers (model)', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(uri, fc.boolean()), { maxLength: 4 }), uri, (sketches, name) => {
        const patterns = sketches.map(([text, isRoot]) => (isRoot ? `${text}/**` : text));
        expect(new Patterns(patterns).has(name)).toBe(patterns.some((pattern) => coversBySegments(pattern, name)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('cover nothing beneath a path that a URL parser takes elsewhere', () => {
    fc.assert(
      fc.property(uri, (name) => {
        const root = 'http://h/a';
        if (!covers(`${root}/**`, name)) return;
        const { href } = new URL(name);
        expect(href === root || href.startsWith(`${root}/`)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});

function coversBySegments(pattern: string, name: string): boolean {
  const wanted = pattern.split('/');
  const given = name.split('/');
  if (wanted.at(-1) !== '**') return pattern === name;
  const root = wanted.slice(0, -1);
  const climbing = (name.split(/[?#]/)[0] ?? '').split('/').some((one) => ['.', '..', '%2e%2E', '..;a'].includes(one));
  return root.every((one, index) => given[index] === one) && !climbing;
}
