import { type ChangeCapabilities, TASKS_EXTENSION_KEY } from '@listen-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeDiscover } from './merged-discover.ts';

const ALL: ChangeCapabilities = {
  tools: true,
  prompts: true,
  resources: { listChanged: true, subscribe: true, subResources: false },
  tasks: true,
};
const TASKS = { extensions: { [TASKS_EXTENSION_KEY]: {} } };

const flags = fc.record(
  { listChanged: fc.boolean(), subscribe: fc.boolean(), other: fc.jsonValue() },
  { requiredKeys: [] },
);
/** What an upstream may say of one capability: an object mostly, but it is a stranger. */
const capability = fc.oneof({ weight: 4, arbitrary: flags }, fc.jsonValue());
const extensions = fc.oneof(
  fc.dictionary(fc.oneof(fc.constant(TASKS_EXTENSION_KEY), fc.string()), fc.jsonValue()),
  fc.jsonValue(),
);
const declared = fc.record(
  { tools: capability, prompts: capability, resources: capability, extensions, logging: fc.jsonValue() },
  { requiredKeys: [] },
);
const configured: fc.Arbitrary<ChangeCapabilities> = fc.record({
  tools: fc.boolean(),
  prompts: fc.boolean(),
  resources: fc.record({ listChanged: fc.boolean(), subscribe: fc.boolean(), subResources: fc.boolean() }),
  tasks: fc.boolean(),
});

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The capability without what the gateway says of it. */
function without(value: unknown, ...names: readonly string[]): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) : value;
}

describe('a merged discover answer', () => {
  it('announces nothing inside a capability that the upstream does not declare, and changes nothing else (P-2.12)', () => {
    fc.assert(
      fc.property(declared, configured, fc.dictionary(fc.string(), fc.jsonValue()), (capabilities, allowed, rest) => {
        const said = { ...rest, capabilities };
        const { result } = mergeDiscover(said, allowed);
        const announced = result.capabilities as Members;
        expect(Object.keys(announced).sort()).toEqual(Object.keys(capabilities).sort());
        expect({ ...result, capabilities: 0 }).toEqual({ ...said, capabilities: 0 });
        const before: Members = capabilities;
        for (const name of ['tools', 'prompts']) {
          expect(without(announced[name], 'listChanged')).toEqual(without(before[name], 'listChanged'));
        }
        expect(without(announced.resources, 'listChanged', 'subscribe')).toEqual(
          without(before.resources, 'listChanged', 'subscribe'),
        );
        for (const name of ['extensions', 'logging']) expect(announced[name]).toEqual(before[name]);
      }),
    );
  });

  it('announces just what a listen honors, and that is what is configured and declared (P-2.12)', () => {
    fc.assert(
      fc.property(declared, configured, (capabilities, allowed) => {
        const merged = mergeDiscover({ capabilities }, allowed);
        const announced = merged.result.capabilities as Record<string, Members | undefined>;
        const says = (name: string, flag: string) => isObject(announced[name]) && announced[name][flag] === true;
        expect(merged.capabilities).toEqual({
          tools: says('tools', 'listChanged'),
          prompts: says('prompts', 'listChanged'),
          resources: {
            listChanged: says('resources', 'listChanged'),
            subscribe: says('resources', 'subscribe'),
            subResources: allowed.resources.subResources,
          },
          tasks:
            allowed.tasks && isObject(announced.extensions) && Object.hasOwn(announced.extensions, TASKS_EXTENSION_KEY),
        });
        expect(merged.capabilities.tools).toBe(allowed.tools && isObject(capabilities.tools));
        expect(merged.capabilities.prompts).toBe(allowed.prompts && isObject(capabilities.prompts));
        expect(merged.capabilities.resources.listChanged).toBe(
          allowed.resources.listChanged && isObject(capabilities.resources),
        );
        expect(merged.capabilities.resources.subscribe).toBe(
          allowed.resources.subscribe && isObject(capabilities.resources),
        );
      }),
    );
  });

  it('takes back what the upstream announces and the configuration keeps from being delivered', () => {
    const none = {
      tools: false,
      prompts: false,
      resources: { listChanged: false, subscribe: false, subResources: false },
      tasks: false,
    };
    const capabilities = { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true }, ...TASKS };
    expect(mergeDiscover({ capabilities }, none).result.capabilities).toEqual({
      tools: { listChanged: false },
      resources: { listChanged: false, subscribe: false },
      // The extension is more than its notifications: without it hosts could not even poll.
      ...TASKS,
    });
  });

  it.each([undefined, null, 'x', 7, []])('of an upstream whose capabilities are %j honors nothing', (capabilities) => {
    const { capabilities: honored } = mergeDiscover({ capabilities }, ALL);
    expect(honored).toMatchObject({ tools: false, prompts: false, resources: { listChanged: false }, tasks: false });
  });

  it('leaves the answer of the upstream as it was', () => {
    const said = { capabilities: { tools: { listChanged: false }, ...TASKS }, ttlMs: 5 };
    const before = structuredClone(said);
    mergeDiscover(said, ALL);
    expect(said).toEqual(before);
  });
});
