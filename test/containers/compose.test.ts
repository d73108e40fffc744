import { eventually, type ListenAnswer, openListen, within } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BUILD_MS, ComposeFleet, UP_MS } from './compose-fleet.ts';
import { readmeRequests, send } from './readme-requests.ts';

const TOOLS = 'notifications/tools/list_changed';

let fleet: ComposeFleet;
const streams: ListenAnswer[] = [];

beforeAll(async () => {
  fleet = await ComposeFleet.onFreePorts();
  await fleet.up();
}, BUILD_MS + UP_MS);
afterAll(() => fleet.down(), 120_000);
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

async function listen(): Promise<ListenAnswer> {
  const stream = await openListen(`http://127.0.0.1:${fleet.ports.gateway}/mcp`);
  streams.push(stream);
  expect((await stream.next('the acknowledgement')).method).toBe('notifications/subscriptions/acknowledged');
  return stream;
}

const publish = () => send(readmeRequests()[1], fleet.ports.publisher);

describe('docker compose up', { timeout: 120_000 }, () => {
  it('lets a change arrive by the two curl lines of the README (P-1.5, INS-01)', async () => {
    const [listenRequest] = readmeRequests();
    const stream = await within(10_000, 'the answer to the listen', send(listenRequest, fleet.ports.gateway));
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const answer = await publish();
    expect([answer.status, await answer.json()]).toEqual([
      202,
      { receipts: [expect.objectContaining({ instances: 1 })] },
    ]);
    let text = '';
    const arrival = async () => {
      for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (text.includes(TOOLS)) return;
      }
    };
    await within(5_000, 'the change', arrival());
    expect(text).toMatch(/subscriptions\/acknowledged.*\n\n.*tools\/list_changed/s);
  });

  it('forwards a call to the sample server, whose change arrives because it publishes it itself', async () => {
    const stream = await listen();
    const [{ headers, body }] = readmeRequests();
    const call = JSON.parse(body) as { params: { _meta: object } };
    const { _meta } = call.params;
    const answer = await fetch(`http://127.0.0.1:${fleet.ports.gateway}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'add_tool' },
      body: JSON.stringify({
        ...call,
        method: 'tools/call',
        params: { _meta, name: 'add_tool', arguments: { name: 'x' } },
      }),
    });
    expect(answer.status).toBe(200);
    expect((await stream.next('the change of the sample server')).method).toBe(TOOLS);
  });

  it('runs the services as nobody in particular, with nothing to write to and no development dependency', async () => {
    const script = 'id -u; touch /app/here 2>/dev/null || echo read-only; ls /app/node_modules; du -sm /app';
    const printed = await fleet.compose(['exec', '-T', 'gateway-2', 'sh', '-c', script]);
    const [user, root, ...modules] = printed.trim().split('\n');
    expect([user, root]).toEqual(['1000', 'read-only']);
    expect(modules).toContain('hono');
    for (const name of ['node', 'typescript', 'vitest', '@types']) expect(modules).not.toContain(name);
    expect(Number.parseInt(modules.at(-1) ?? '', 10), 'MB beside the base image').toBeLessThan(40);
  });

  it('ends the streams of an instance that is stopped with the result, and keeps the others (P-1.8, FIELD F1)', async () => {
    const all = [await listen(), await listen(), await listen(), await listen()];
    const ended: ListenAnswer[] = [];
    for (const stream of all) void stream.ended.then(() => ended.push(stream));

    await fleet.compose(['stop', 'gateway-1']);

    expect(await fleet.exitCode('gateway-1')).toBe(0);
    await eventually(5_000, 'the end of the streams of gateway-1', () => ended.length === 2);
    for (const stream of ended) {
      expect(await stream.ended).toBe('complete');
      expect(stream.messages.at(-1)).toMatchObject({ id: 'L1', result: { resultType: 'complete' } });
    }
    const again = await listen();
    await publish();
    for (const stream of [again, ...all.filter((one) => !ended.includes(one))]) {
      expect((await stream.next('a change on the other instance')).method).toBe(TOOLS);
    }
  });
});
