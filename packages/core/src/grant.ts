import type { Filter, ListKind } from '@listen-gateway/protocol';
import { honor } from './honor.ts';

/** Some names, however they are kept. */
export interface Names {
  has(name: string): boolean;
}

/** What a principal may watch of a server. */
export interface Grant {
  readonly lists: { has(kind: ListKind): boolean };
  readonly uris: Names;
  readonly taskIds: Names;
}

/**
 * The part of a requested filter that is granted, as the acknowledgement may name it: what is not is left out, just as
 * what the server does not support (P-1.3, INS-04). Nothing is ever added, whatever the grant names.
 */
export function narrow(requested: Filter, { lists, uris, taskIds }: Grant): Filter {
  const granted = {
    ...requested,
    resourceSubscriptions: requested.resourceSubscriptions?.filter((uri) => uris.has(uri)),
    taskIds: requested.taskIds?.filter((taskId) => taskIds.has(taskId)),
  };
  return honor(granted, {
    tools: lists.has('tools'),
    prompts: lists.has('prompts'),
    resources: { listChanged: lists.has('resources'), subscribe: true, subResources: false },
    tasks: true,
  });
}

/** A filter read as a grant: of just what it names. */
export function grantOf(granted: Filter): Grant {
  const lists = new Set<ListKind>();
  if (granted.toolsListChanged) lists.add('tools');
  if (granted.promptsListChanged) lists.add('prompts');
  if (granted.resourcesListChanged) lists.add('resources');
  return { lists, uris: new Set(granted.resourceSubscriptions), taskIds: new Set(granted.taskIds) };
}
