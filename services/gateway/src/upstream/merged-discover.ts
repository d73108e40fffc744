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
  const declared = isObject(result.capabilities) ? result.capabilities : {};
  const tools = isObject(declared.tools) && configured.tools;
  const prompts = isObject(declared.prompts) && configured.prompts;
  const listChanged = isObject(declared.resources) && configured.resources.listChanged;
  const subscribe = isObject(declared.resources) && configured.resources.subscribe;
  const { extensions } = declared;
  const tasks = configured.tasks && isObject(extensions) && Object.hasOwn(extensions, TASKS_EXTENSION_KEY);
  // Overwritten, not added to: every listen of this server ends here, so what is not configured is not delivered.
  const capabilities = {
    ...declared,
    ...(isObject(declared.tools) && { tools: { ...declared.tools, listChanged: tools } }),
    ...(isObject(declared.prompts) && { prompts: { ...declared.prompts, listChanged: prompts } }),
    ...(isObject(declared.resources) && { resources: { ...declared.resources, listChanged, subscribe } }),
  };
  const { subResources } = configured.resources;
  return {
    result: { ...result, ...(isObject(result.capabilities) && { capabilities }) },
    capabilities: { tools, prompts, resources: { listChanged, subscribe, subResources }, tasks },
  };
}

/** An upstream may say anything: what is no object declares nothing. */
function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
