import type { ChangeCapabilities, Filter } from '@listen-gateway/protocol';

/**
 * The part of a requested filter that the server announces: what the acknowledgement names and all that is ever
 * delivered. `false`, absent and empty members are left out; URIs and task ids keep their order and lose duplicates.
 * Spec: patterns/subscriptions, Acknowledgment.
 */
export function honor(requested: Filter, capabilities: ChangeCapabilities): Filter {
  const uris = capabilities.resources.subscribe ? distinct(requested.resourceSubscriptions) : [];
  const taskIds = capabilities.tasks ? distinct(requested.taskIds) : [];
  return {
    ...(requested.toolsListChanged && capabilities.tools && { toolsListChanged: true }),
    ...(requested.promptsListChanged && capabilities.prompts && { promptsListChanged: true }),
    ...(requested.resourcesListChanged && capabilities.resources.listChanged && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(taskIds.length > 0 && { taskIds }),
  };
}

/** Whether nothing at all was honored: such a stream could never carry a notification. */
export function isEmpty(honored: Filter): boolean {
  return Object.keys(honored).length === 0;
}

function distinct(values: readonly string[] | undefined): readonly string[] {
  return values === undefined ? [] : [...new Set(values)];
}
