import { request } from 'node:http';
import { within } from '@listen-gateway/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { type SampleServer, type SampleServerOptions, startSampleServer } from './sample-server.ts';

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(options: Partial<SampleServerOptions> = {}): Promise<SampleServer> {
  const server = await startSampleServer({ host: '127.0.0.1', port: 0, serverId: 'sample', ...options });
  stops.push(() => server.close());
  return server;
}

async function connect(server: SampleServer, capabilities = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  stops.push(() => client.close());
  return client;
}

/** The status that the server answers a discover with, asked under these names. */
function statusFor(server: SampleServer, headers: Record<string, string>): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asking = request(server.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
  asking.on('response', (response) => resolve(response.resume().statusCode));
  asking.on('error', reject);
  asking.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  return within(2_000, 'the answer', promise);
}

describe('a sample server', () => {
  it('announces what it offers and no change notifications of its own', async () => {
    const client = await connect(await start());
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: false },
      prompts: { listChanged: false },
      resources: { listChanged: false },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    });
    expect(client.getServerCapabilities()?.resources).not.toHaveProperty('subscribe');
  });

  it('keeps what a tool changed for the requests that follow, of every host', async () => {
    const server = await start();
    const first = await connect(server);
    await first.callTool({ name: 'add_tool', arguments: { name: 'weather' } });
    await first.callTool({ name: 'increment' });

    const second = await connect(server);
    expect((await second.listTools()).tools.map((tool) => tool.name)).toContain('weather');
    expect(await second.callTool({ name: 'weather' })).toMatchObject({ content: [{ text: 'This is weather' }] });
    expect(await second.readResource({ uri: 'demo://counter' })).toMatchObject({ contents: [{ text: '1' }] });
  });

  it('refuses to add a tool twice or over its own, and to remove what was not added', async () => {
    const client = await connect(await start());
    await client.callTool({ name: 'add_tool', arguments: { name: 'weather' } });
    for (const [name, tool] of [
      ['add_tool', 'weather'],
      ['add_tool', 'add_tool'],
      ['remove_tool', 'echo'],
      ['add_tool', 'no such name'],
    ] as const) {
      expect(await client.callTool({ name, arguments: { name: tool } })).toMatchObject({ isError: true });
    }
  });

  it('shares nothing with another sample server in the same process', async () => {
    const [one, other] = [await start(), await start()];
    await (await connect(one)).callTool({ name: 'add_tool', arguments: { name: 'weather' } });
    const tools = (await (await connect(other)).listTools()).tools.map((tool) => tool.name);
    expect(tools).not.toContain('weather');
  });

  it('asks the host for input by its result and goes on with the answer', async () => {
    const client = await connect(await start(), { elicitation: {} });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const content = params.message.includes('color') ? { color: 'green' } : { name: 'Ada' };
      return { action: 'accept', content };
    });
    expect(await client.callTool({ name: 'test_input_required_result_multi_round' })).toMatchObject({
      content: [{ text: 'Ada likes green' }],
    });
  });

  it('streams progress on the response of the call itself (SUB-07)', async () => {
    const client = await connect(await start());
    const progress: number[] = [];
    const calling = client.callTool(
      { name: 'test_tool_with_progress', arguments: { steps: 4, stepMs: 5 } },
      { onprogress: (report) => progress.push(report.progress) },
    );
    await within(2_000, 'the end of the call', calling);
    expect(progress).toEqual([0, 25, 50, 75, 100]);
  });

  it('serves hosts of the 2025 era too, whose requests do without an envelope', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL((await start()).url)));
    stops.push(() => client.close());
    expect(client.getDiscoverResult()).toBeUndefined();
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      content: [{ text: 'Hello, Ada!' }],
    });
  });

  it('answers under its own names only (FIELD B19, B21)', async () => {
    const server = await start({ allowedHostnames: ['sample'] });
    const { host } = new URL(server.url);
    expect(await statusFor(server, { host: 'evil.example' })).toBe(403);
    expect(await statusFor(server, { host, origin: 'http://evil.example' })).toBe(403);
    expect(await statusFor(server, { host: 'sample:3000' })).not.toBe(403);
    expect(await statusFor(server, { host: 'localhost', origin: 'http://localhost:5173' })).not.toBe(403);
  });

  it('does not start where another server listens', async () => {
    const port = Number(new URL((await start()).url).port);
    await expect(start({ port })).rejects.toThrow('the address is in use');
  });

  it('closes with a call still open, and closing twice is fine', async () => {
    const server = await start();
    const client = await connect(server);
    const { promise: running, resolve } = Promise.withResolvers<void>();
    const calling = client.callTool(
      { name: 'test_tool_with_progress', arguments: { steps: 1, stepMs: 60_000 } },
      { onprogress: () => resolve() },
    );
    // The official client waits for the answer of a call whose stream was cut until its own time limit, or its end.
    const unanswered = expect(calling).rejects.toThrow();
    await within(2_000, 'the first progress', running);
    await within(2_000, 'the server to close', Promise.all([server.close(), server.close()]));
    await client.close();
    await unanswered;
  });
});
