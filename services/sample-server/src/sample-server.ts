import { startHttpServer } from '@listen-gateway/service-kit';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createApp } from './http/app.ts';
import { createMcpServer } from './mcp-server.ts';
import { openPublisher } from './publisher.ts';
import { createSampleState } from './sample-state.ts';

/** Where a sample server listens and where it publishes its changes. */
export interface SampleServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Without it the server changes all the same, and nobody is told. */
  readonly publisherUrl?: string;
  /** A credential for the publisher, where it asks for one. */
  readonly publisherKey?: string | undefined;
  /** The name under which its changes are published. */
  readonly serverId: string;
  /** Names it may be asked for by, apart from loopback: that of its container, say. */
  readonly allowedHostnames?: readonly string[];
  /** Told of changes that could not be published. */
  readonly report?: (failure: Error) => void;
}

/** A running sample server. */
export interface SampleServer {
  /** Its MCP endpoint. */
  readonly url: string;
  /** Ends its requests and tasks, then the server. Closing twice is fine. */
  close(): Promise<void>;
}

/** Starts a small real MCP server whose lists, resources and tasks change, and which leaves it to the gateway to notify. */
export async function startSampleServer(options: SampleServerOptions): Promise<SampleServer> {
  const { host, port, publisherUrl, publisherKey, serverId, allowedHostnames = [], report = () => {} } = options;
  const target = publisherUrl === undefined ? undefined : { url: publisherUrl, serverId, key: publisherKey };
  const state = createSampleState(openPublisher(target, report));
  const handler = createMcpHandler(() => createMcpServer(state));
  const { fetch } = createApp(handler, allowedHostnames);
  const http = await startHttpServer({ fetch, host, port });
  let closing: Promise<void> | undefined;
  const close = async () => {
    const closed = http.close();
    await handler.close();
    await state.tasks.close();
    http.cut();
    await closed;
  };
  return {
    url: `${http.url}/mcp`,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
