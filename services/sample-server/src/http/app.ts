import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHttpHandler,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { Hono } from 'hono';

/**
 * The HTTP face: the MCP endpoint at `/mcp`. A request is served only under a name that this server is known by, or any
 * web page could reach a server on loopback through a name of its own that resolves there (DNS rebinding).
 */
export function createApp(handler: McpHttpHandler, allowedHostnames: readonly string[]): Hono {
  const hostnames = [...localhostAllowedHostnames(), ...allowedHostnames];
  const app = new Hono();
  app.all('/mcp', ({ req: { raw } }) => {
    const refusal =
      hostHeaderValidationResponse(raw, hostnames) ?? originValidationResponse(raw, localhostAllowedOrigins());
    return refusal ?? handler.fetch(raw);
  });
  return app;
}
