import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Multimap } from './multimap.ts';

interface Value {
  readonly name: string;
}

const values: readonly Value[] = ['a', 'b', 'c'].map((name) => ({ name }));

const act = fc.record({
  type: fc.constantFrom('add', 'delete'),
  key: fc.constantFrom('x', 'y', '', '__proto__'),
  value: fc.constantFrom(...values),
});

describe('a multimap', () => {
  it('holds what a map of sets holds, and no key without a value', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const multimap = new Multimap<string, Value>();
        const model = new Map<string, Set<Value>>();
        for (const { type, key, value } of acts) {
          const set = model.get(key) ?? new Set();
          if (type === 'add') {
            multimap.add(key, value);
            model.set(key, set.add(value));
          } else {
            multimap.delete(key, value);
            if (set.delete(value) && set.size === 0) model.delete(key);
          }
          expect(multimap.size).toBe(model.size);
          for (const key of ['x', 'y', '', '__proto__', 'never added']) {
            const visited: Value[] = [];
            multimap.each(key, (value) => visited.push(value));
            expect(visited).toHaveLength(new Set(visited).size);
            expect(new Set(visited)).toEqual(model.get(key) ?? new Set());
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
