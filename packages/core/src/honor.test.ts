import { type ChangeCapabilities, discoverResult, type Filter } from '@listen-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { honor, isEmpty } from './honor.ts';

const capabilitiesWith = (on: boolean): ChangeCapabilities => ({
  tools: on,
  prompts: on,
  resources: { listChanged: on, subscribe: on, subResources: on },
  tasks: on,
});
const everything = capabilitiesWith(true);
const nothing = capabilitiesWith(false);

const capabilities: fc.Arbitrary<ChangeCapabilities> = fc.record({
  tools: fc.boolean(),
  prompts: fc.boolean(),
  resources: fc.record({ listChanged: fc.boolean(), subscribe: fc.boolean(), subResources: fc.boolean() }),
  tasks: fc.boolean(),
});
const names = fc.array(fc.constantFrom('', 'a', 'b', 'file:///a', 'file:///A'), { maxLength: 6 });
const requested: fc.Arbitrary<Filter> = fc.record(
  {
    toolsListChanged: fc.boolean(),
    promptsListChanged: fc.boolean(),
    resourcesListChanged: fc.boolean(),
    resourceSubscriptions: names,
    taskIds: names,
  },
  { requiredKeys: [] },
);

describe('what is honored', () => {
  it('is what is true and supported, without false flags (P-1.3, FIELD C23)', () => {
    const requested = { toolsListChanged: false, promptsListChanged: true };
    expect(honor(requested, { ...everything, prompts: false })).toStrictEqual({});
    expect(honor(requested, everything)).toStrictEqual({ promptsListChanged: true });
  });

  it.each([{}, { resourceSubscriptions: [] }, { taskIds: [] }, { toolsListChanged: false }])(
    'of %j is nothing (P-1.13, FIELD C22)',
    (requested) => {
      expect(honor(requested, everything)).toStrictEqual({});
      expect(isEmpty(honor(requested, everything))).toBe(true);
    },
  );

  it('of everything is nothing where nothing is supported (P-1.13, FIELD C22)', () => {
    const all = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['a'],
      taskIds: ['t'],
    };
    expect(honor(all, nothing)).toStrictEqual({});
    expect(honor(all, everything)).toStrictEqual(all);
  });

  it('keeps the order of URIs and tasks, byte for byte, and loses duplicates (P-4.2, FIELD C28)', () => {
    const requested = { resourceSubscriptions: ['b', 'HTTP://A', 'b', 'http://a'], taskIds: ['2', '1', '2'] };
    expect(honor(requested, everything)).toStrictEqual({
      resourceSubscriptions: ['b', 'HTTP://A', 'http://a'],
      taskIds: ['2', '1'],
    });
  });

  it('is all of what was asked for and supported, and no more (P-1.3, SUB-02, SUB-03)', () => {
    fc.assert(
      fc.property(requested, capabilities, (requested, capabilities) => {
        const honored = honor(requested, capabilities);
        const { tools, prompts, resources, tasks } = capabilities;
        const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions, taskIds } =
          requested;
        expect(honored.toolsListChanged === true).toBe(toolsListChanged === true && tools);
        expect(honored.promptsListChanged === true).toBe(promptsListChanged === true && prompts);
        expect(honored.resourcesListChanged === true).toBe(resourcesListChanged === true && resources.listChanged);
        expect(new Set(honored.resourceSubscriptions)).toEqual(
          new Set(resources.subscribe ? resourceSubscriptions : []),
        );
        expect(new Set(honored.taskIds)).toEqual(new Set(tasks ? taskIds : []));
        for (const part of Object.values(honored)) expect(part === true || part.length > 0).toBe(true);
        expect(honor(honored, capabilities)).toEqual(honored);
      }),
    );
  });

  it('was announced by server/discover, part for part (P-2.12, SUB-06)', () => {
    fc.assert(
      fc.property(requested, capabilities, (requested, capabilities) => {
        const honored = honor(requested, capabilities);
        const serverInfo = { name: 's', version: '1' };
        const announced = discoverResult({ serverInfo, capabilities, ttlMs: 0 }).capabilities as {
          tools?: { listChanged?: boolean };
          prompts?: { listChanged?: boolean };
          resources?: { listChanged?: boolean; subscribe?: boolean };
          extensions?: Record<string, unknown>;
        };
        if (honored.toolsListChanged) expect(announced.tools?.listChanged).toBe(true);
        if (honored.promptsListChanged) expect(announced.prompts?.listChanged).toBe(true);
        if (honored.resourcesListChanged) expect(announced.resources?.listChanged).toBe(true);
        if (honored.resourceSubscriptions) expect(announced.resources?.subscribe).toBe(true);
        if (honored.taskIds) expect(announced.extensions).toHaveProperty(['io.modelcontextprotocol/tasks']);
      }),
    );
  });
});
