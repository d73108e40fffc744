import type { Change, ChangeCapabilities, ChangeKind, Problem } from '@listen-gateway/protocol';
import type { ServerConfig } from '@listen-gateway/service-kit';
import type { ReadChanges } from './read-changes.ts';

/** Which setting of a server announces each kind of change. */
const ANNOUNCED_BY: Readonly<Record<ChangeKind, string>> = {
  tools: 'capabilities.tools',
  prompts: 'capabilities.prompts',
  resources: 'capabilities.resources.listChanged',
  resource: 'capabilities.resources.subscribe',
  task: 'capabilities.tasks',
};

/** What of a server decides whether a change can reach anybody there. */
export type Audible = Pick<ServerConfig, 'capabilities' | 'auth'>;

/**
 * Finds the changes that could reach nobody, because no filter of this server is ever honored for them. They are
 * refused: an accepted change that is never delivered would look like a fault of the gateway.
 */
export function undeliverable({ changes, at }: ReadChanges, server: Audible): Problem[] {
  return changes.flatMap((change, index) => problemsWith(change, at(index), server));
}

function problemsWith(change: Change, path: Problem['path'], { capabilities, auth }: Audible): Problem[] {
  const problems: Problem[] = [];
  if (!announces(capabilities, change.kind)) {
    const setting = ANNOUNCED_BY[change.kind];
    const message = `this server does not announce such changes, so no host listens for them; set its ${setting}, or do not publish them`;
    problems.push({ path: [...path, 'method'], message });
  }
  if (change.audience !== undefined && auth === undefined) {
    const message =
      'hosts of this server are not authenticated, so no stream has a subject to match; remove the audience';
    problems.push({ path: [...path, 'audience'], message });
  }
  return problems;
}

function announces({ tools, prompts, resources, tasks }: ChangeCapabilities, kind: ChangeKind): boolean {
  switch (kind) {
    case 'tools':
      return tools;
    case 'prompts':
      return prompts;
    case 'resources':
      return resources.listChanged;
    case 'resource':
      return resources.subscribe;
    case 'task':
      return tasks;
  }
}
