import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** What the client of this request declares; of a 2025-era request, nothing. The SDK has checked it but types it as empty. */
export function declaredCapabilities(request: ServerContext['mcpReq']): ClientCapabilities {
  const envelope: Record<string, unknown> | undefined = request.envelope;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}
