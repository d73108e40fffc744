import { type ChangeCapabilities, TASKS_EXTENSION_KEY } from '@listen-gateway/protocol';

/** An upstream's discover result with the changes that the gateway delivers, and what it honors accordingly. */
export interface MergedDiscover {
  readonly result: Readonly<Record<string, unknown>>;
  readonly capabilities: ChangeCapabilities;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Merges change notifications into what an upstream announces, only inside the capability objects that it declares: a
 * server without prompts gains no prompt changes. What is announced is what a listen honors (server/discover; P-2.12).
 */
export function mergeDiscover(result: Members, configured: ChangeCapabilities): MergedDiscover {
  const declared = members(result.capabilities);
  const tools = declared.tools !== undefined && configured.tools;
  const prompts = declared.prompts !== undefined && configured.prompts;
  const has = declared.resources !== undefined;
  const listChanged = has && configured.resources.listChanged;
  const subscribe = has && configured.resources.subscribe;
  const tasks = configured.tasks && Object.hasOwn(members(declared.extensions), TASKS_EXTENSION_KEY);
  const capabilities = {
    ...declared,
    // Overwritten, not added to: every listen of this server ends here, so what is not configured is not delivered.
    ...(declared.tools !== undefined && { tools: { ...members(declared.tools), listChanged: tools } }),
    ...(declared.prompts !== undefined && { prompts: { ...members(declared.prompts), listChanged: prompts } }),
    ...(has && { resources: { ...members(declared.resources), listChanged, subscribe } }),
  };
  const { subResources } = configured.resources;
  return {
    result: { ...result, capabilities },
    capabilities: { tools, prompts, resources: { listChanged, subscribe, subResources }, tasks },
  };
}

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}
