import { describe, expect, it } from 'vitest';
import type { ChangeCapabilities } from './capabilities.ts';
import { discoverResult } from './discover.ts';
import { PROTOCOL_VERSION, TASKS_EXTENSION_KEY } from './meta-keys.ts';

const serverInfo = { name: 'acme-ops', version: '1.2.3' };
const nothing: ChangeCapabilities = {
  tools: false,
  prompts: false,
  resources: { listChanged: false, subscribe: false, subResources: false },
  tasks: false,
};

const capabilitiesFor = (capabilities: Partial<ChangeCapabilities>) =>
  discoverResult({ serverInfo, capabilities: { ...nothing, ...capabilities }, ttlMs: 1_000 }).capabilities;

describe('the answer to server/discover', () => {
  it('carries what every result of this revision does, and the version spoken (P-2.12)', () => {
    expect(discoverResult({ serverInfo, instructions: 'Ask.', capabilities: nothing, ttlMs: 60_000 })).toStrictEqual({
      resultType: 'complete',
      supportedVersions: [PROTOCOL_VERSION],
      capabilities: {},
      instructions: 'Ask.',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
      ttlMs: 60_000,
      cacheScope: 'public',
    });
    expect(discoverResult({ serverInfo, capabilities: nothing, ttlMs: 0 })).not.toHaveProperty('instructions');
  });

  it.each([
    [{ tools: true }, { tools: { listChanged: true } }],
    [{ prompts: true }, { prompts: { listChanged: true } }],
    [{ resources: { ...nothing.resources, listChanged: true } }, { resources: { listChanged: true } }],
    [{ resources: { ...nothing.resources, subscribe: true } }, { resources: { subscribe: true } }],
    [
      { resources: { listChanged: true, subscribe: true, subResources: true } },
      { resources: { listChanged: true, subscribe: true } },
    ],
    [{ tasks: true }, { extensions: { [TASKS_EXTENSION_KEY]: {} } }],
  ])('announces %j and nothing beside it (P-2.12)', (capabilities, announced) => {
    expect(capabilitiesFor(capabilities)).toStrictEqual(announced);
  });
});
