import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Multimap } from './multimap.ts';

interface Value {
  readonly name: string;
}

const values: readonly Value[] = ['a', 'b', 'c'].map((name) => ({ name }));

const act = fc.record({
  type: fc.constantFrom('add' as const, 'delete' as const),
  key: fc.constantFrom('x', 'y', '', '__proto__'),
  value: fc.constantFrom(...values),
});

/** The same in sets, none of them empty. */
class Model {
  readonly sets = new Map<string, Set<Value>>();

  add(key: string, value: Value): void {
    this.sets.set(key, (this.sets.get(key) ?? new Set()).add(value));
  }

  delete(key: string, value: Value): void {
    const set = this.sets.get(key);
    if (set?.delete(value) && set.size === 0) this.sets.delete(key);
  }
}

function visitedUnder(key: string, multimap: Multimap<string, Value>): readonly Value[] {
  const visited: Value[] = [];
  multimap.each(key, (value) => visited.push(value));
  return visited;
}

describe('a multimap', () => {
  it('holds what a map of sets holds, and no key without a value', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const multimap = new Multimap<string, Value>();
        const model = new Model();
        for (const { type, key, value } of acts) {
          multimap[type](key, value);
          model[type](key, value);
          expect(multimap.size).toBe(model.sets.size);
          for (const key of ['x', 'y', '', '__proto__', 'never added']) {
            const held = [...(model.sets.get(key) ?? [])];
            expect(visitedUnder(key, multimap)).toHaveLength(held.length);
            expect(visitedUnder(key, multimap)).toEqual(expect.arrayContaining(held));
          }
        }
      }),
    );
  });

  it('hands a visitor the value and nothing else, however many there are', () => {
    const multimap = new Multimap<string, Value>();
    const given: unknown[][] = [];
    for (const value of values) multimap.add('x', value);
    multimap.each('x', (...all: unknown[]) => given.push(all));
    expect(given).toEqual(values.map((value) => [value]));
  });
});
