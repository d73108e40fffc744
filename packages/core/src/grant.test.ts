import type { Filter } from '@listen-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grantOf, narrow } from './grant.ts';
import { Patterns } from './patterns.ts';

const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'a/b'), { maxLength: 6 });
const filter: fc.Arbitrary<Filter> = fc.record(
  {
    toolsListChanged: fc.boolean(),
    promptsListChanged: fc.boolean(),
    resourcesListChanged: fc.boolean(),
    resourceSubscriptions: names,
    taskIds: names,
  },
  { requiredKeys: [] },
);
const FLAGS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;
const NAMED = ['resourceSubscriptions', 'taskIds'] as const;

describe('what is granted of a requested filter', () => {
  it('is what both name, without false flags and empty lists (P-1.3, INS-04)', () => {
    const requested = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: false,
      resourceSubscriptions: ['file:///a/1', 'file:///b/1'],
      taskIds: ['t1', 't2'],
    };
    const grant = {
      lists: new Set(['tools', 'resources']),
      uris: new Patterns(['file:///a/**']),
      taskIds: new Set(['t2', 't3']),
    };
    expect(narrow(requested, grant)).toStrictEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['file:///a/1'],
      taskIds: ['t2'],
    });
    expect(narrow(requested, grantOf({}))).toStrictEqual({});
  });

  it('is in the requested and in the granted, and all that is in both (model)', () => {
    fc.assert(
      fc.property(filter, filter, (requested, granted) => {
        const narrowed = narrow(requested, grantOf(granted));
        for (const flag of FLAGS) expect(narrowed[flag] ?? false).toBe(Boolean(requested[flag] && granted[flag]));
        for (const member of NAMED) {
          const both = (requested[member] ?? []).filter((name) => granted[member]?.includes(name));
          expect(narrowed[member] ?? []).toEqual([...new Set(both)]);
        }
      }),
    );
  });

  it('is never more than was requested, whatever is granted', () => {
    const everything = { lists: { has: () => true }, uris: new Patterns(['**']), taskIds: new Patterns(['**']) };
    fc.assert(
      fc.property(filter, (requested) => {
        expect(narrow(requested, everything)).toEqual(narrow(requested, grantOf(requested)));
      }),
    );
  });

  it('by several in turn does not depend on their order', () => {
    fc.assert(
      fc.property(filter, filter, filter, (requested, one, other) => {
        const [first, second] = [grantOf(one), grantOf(other)];
        expect(narrow(narrow(requested, first), second)).toEqual(narrow(narrow(requested, second), first));
      }),
    );
  });
});
