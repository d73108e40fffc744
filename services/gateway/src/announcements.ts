import type { Announcement, ServerId } from '@listen-gateway/protocol';
import { productVersion, type ServersConfig } from '@listen-gateway/service-kit';

/** How long hosts may keep a discover answer: it changes with a deployment only. */
const DISCOVER_TTL_MS = 300_000;

/** What each configured server says of itself. */
export function announcementsOf(servers: ServersConfig): ReadonlyMap<ServerId, Announcement> {
  const announced = [...servers].map(([serverId, server]): [ServerId, Announcement] => {
    const { name = serverId, title, version = productVersion(), instructions, capabilities } = server;
    const serverInfo = { name, ...(title !== undefined && { title }), version };
    return [serverId, { serverInfo, instructions, capabilities, ttlMs: DISCOVER_TTL_MS }];
  });
  return new Map(announced);
}
