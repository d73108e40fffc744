import type { ChangeCapabilities } from './capabilities.ts';
import { PROTOCOL_VERSION, SERVER_INFO_META_KEY, TASKS_EXTENSION_KEY } from './meta-keys.ts';
import type { ServerInfo } from './sse.ts';

export const DISCOVER_METHOD = 'server/discover';

/** What `server/discover` says of one server. */
export interface Announcement {
  readonly serverInfo: ServerInfo;
  readonly instructions?: string | undefined;
  readonly capabilities: ChangeCapabilities;
  /** How long a host may keep the answer, in milliseconds (server/utilities/caching). */
  readonly ttlMs: number;
}

/** The result of `server/discover` (server/discover, Response): announces just what a listen would honor. */
export function discoverResult(announcement: Announcement): Readonly<Record<string, unknown>> {
  const { serverInfo, instructions, capabilities, ttlMs } = announcement;
  const { listChanged, subscribe } = capabilities.resources;
  return {
    resultType: 'complete',
    supportedVersions: [PROTOCOL_VERSION],
    capabilities: {
      ...(capabilities.tools && { tools: { listChanged: true } }),
      ...(capabilities.prompts && { prompts: { listChanged: true } }),
      ...((listChanged || subscribe) && {
        resources: { ...(listChanged && { listChanged }), ...(subscribe && { subscribe }) },
      }),
      ...(capabilities.tasks && { extensions: { [TASKS_EXTENSION_KEY]: {} } }),
    },
    ...(instructions !== undefined && { instructions }),
    _meta: { [SERVER_INFO_META_KEY]: serverInfo },
    ttlMs,
    cacheScope: 'public',
  };
}
