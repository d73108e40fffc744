import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Change, parseChange } from '@listen-gateway/protocol';
import { eventually, within } from '@listen-gateway/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { type SampleServer, startSampleServer } from './sample-server.ts';

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** The publisher's end of the wire: keeps each change that is POSTed to it for `sample`, and answers with `status`. */
async function startReceiver(status = 202, onChange: (change: Change) => Promise<void> = async () => {}) {
  const changes: Change[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const parsed = parseChange(JSON.parse(body));
    if (parsed.ok && request.url === '/v1/servers/sample/changes') {
      changes.push(parsed.change);
      await onChange(parsed.change);
      response.writeHead(status).end('{}');
    } else {
      response.writeHead(400).end(body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(async () => void server.close());
  return { changes, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function start(publisherUrl: string, report: (failure: Error) => void = () => {}): Promise<SampleServer> {
  const server = await startSampleServer({ host: '127.0.0.1', port: 0, serverId: 'sample', publisherUrl, report });
  stops.push(() => server.close());
  return server;
}

async function connect(server: SampleServer): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  stops.push(() => client.close());
  return client;
}

/** POSTs one request of a host that declares the Tasks extension; the official client does not know tasks by itself. */
async function ask(server: SampleServer, method: string, params: Record<string, unknown>) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
  return (await response.json()) as { result?: Record<string, unknown>; error?: { code: number } };
}

describe('a sample server with a publisher', () => {
  it('publishes each change of a list and of a resource', async () => {
    const { changes, url } = await startReceiver();
    const client = await connect(await start(url));
    await client.callTool({ name: 'add_tool', arguments: { name: 'weather' } });
    await client.callTool({ name: 'remove_tool', arguments: { name: 'weather' } });
    await client.callTool({ name: 'increment' });
    await client.callTool({ name: 'test_trigger_tool_change' });
    const told = await client.callTool({ name: 'test_trigger_prompt_change' });
    expect(told).toMatchObject({ content: [{ text: 'Added the prompt test_switched; published.' }] });
    expect(changes).toEqual([
      { kind: 'tools' },
      { kind: 'tools' },
      { kind: 'resource', uri: 'demo://counter' },
      { kind: 'tools' },
      { kind: 'prompts' },
    ]);
  });

  it('publishes only after the change can be seen, because hosts read again at once', async () => {
    const seen: unknown[] = [];
    const { url } = await startReceiver(202, async () => {
      const host = await connect(server);
      seen.push((await host.readResource({ uri: 'demo://counter' })).contents[0]);
    });
    const server = await start(url);
    await (await connect(server)).callTool({ name: 'increment' });
    expect(seen).toMatchObject([{ text: '1' }]);
  });

  it('makes the change all the same when the publisher refuses it, says so and reports it', async () => {
    const failures: Error[] = [];
    const { url } = await startReceiver(503);
    const client = await connect(await start(url, (failure) => failures.push(failure)));
    const told = await client.callTool({ name: 'increment' });
    expect(told).toMatchObject({ content: [{ text: expect.stringContaining('counter is at 1; nobody was told') }] });
    expect(failures.map((failure) => String(failure.cause))).toEqual([expect.stringContaining('answered 503')]);
  });

  it('publishes each state of a task as tasks/get would return it (P-4.3)', async () => {
    const got: unknown[] = [];
    const { changes, url } = await startReceiver(202, async (change) => {
      if (change.kind === 'task') got.push((await ask(server, 'tasks/get', { taskId: change.task.taskId })).result);
    });
    const server = await start(url);
    const plan = { label: 'bake', steps: 2, stepMs: 10 };
    const { result } = await ask(server, 'tools/call', { name: 'start_task', arguments: plan });
    expect(result).toMatchObject({ resultType: 'task', status: 'working' });

    await eventually(3_000, 'the fourth state of the task', () => got.length === 4);
    const tasks = changes.map((change) => change.kind === 'task' && change.task);
    expect(tasks).toMatchObject([
      { taskId: result?.taskId, status: 'working' },
      { taskId: result?.taskId, status: 'working', statusMessage: 'bake: 1 of 2 steps' },
      { taskId: result?.taskId, status: 'working', statusMessage: 'bake: 2 of 2 steps' },
      { taskId: result?.taskId, status: 'completed', result: { content: [{ type: 'text', text: 'bake: done' }] } },
    ]);
    expect(got).toMatchObject(tasks);
  });

  it('publishes that a task was cancelled, by its host or by the end of the server', async () => {
    const { changes, url } = await startReceiver();
    const server = await start(url);
    const endless = { name: 'start_task', arguments: { stepMs: 60_000 } };
    const first = (await ask(server, 'tools/call', endless)).result?.taskId;
    const second = (await ask(server, 'tools/call', endless)).result?.taskId;
    const cancelled = () =>
      changes.flatMap((change) =>
        change.kind === 'task' && change.task.status === 'cancelled' ? change.task.taskId : [],
      );

    expect(await ask(server, 'tasks/cancel', { taskId: first })).toMatchObject({ result: { resultType: 'complete' } });
    await eventually(2_000, 'the first cancelled task', () => cancelled().length === 1);
    await within(2_000, 'the server to close', server.close());
    expect(cancelled()).toEqual([first, second]);
  });

  it('hands no task to a host that does not know tasks', async () => {
    const { changes, url } = await startReceiver();
    const client = await connect(await start(url));
    const done = await client.callTool({ name: 'start_task', arguments: { label: 'bake', steps: 2, stepMs: 5 } });
    expect(done).toMatchObject({ content: [{ text: 'bake: done' }] });
    expect(changes).toEqual([]);
  });

  it('does not know a task that it never started', async () => {
    const server = await start((await startReceiver()).url);
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      expect(await ask(server, method, { taskId: 'none' })).toMatchObject({ error: { code: -32602 } });
    }
  });
});
