import { eventually, listenBody, openListen, parseFrames, TEST_SERVER, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { ACKNOWLEDGED, openGateway } from '../test/test-gateway.ts';

const DISABLED = {
  servers: { default: { capabilities: { prompts: false, resources: { subscribe: false }, tasks: false } } },
};

describe('a listen', () => {
  it('is answered with an event stream whose first frame is the acknowledgement, and held open (P-1.1, P-1.3, P-2.10, SUB-01, SUB-03, SUB-12, FIELD A19, C7, C8)', async () => {
    const gateway = await openGateway();
    const stream = await gateway.open({ id: 'L1', headers: { 'Accept-Encoding': 'gzip, br' } });

    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'transfer-encoding': 'chunked',
    });
    expect(stream.headers).not.toHaveProperty('content-encoding');
    expect(stream.headers).not.toHaveProperty('content-length');
    expect(stream.messages).toEqual([
      {
        jsonrpc: '2.0',
        method: ACKNOWLEDGED,
        params: {
          _meta: { 'io.modelcontextprotocol/subscriptionId': 'L1' },
          notifications: { toolsListChanged: true },
        },
      },
    ]);
    await gateway.publish({ kind: 'tools' });
    await stream.received(2);
    expect(parseFrames(stream.text)).toHaveLength(2);
    expect(await gateway.metric('lg_streams_open')).toBe(1);
  });

  it('has its head and its acknowledgement in one flush (P-2.10, FIELD C7)', async () => {
    const gateway = await openGateway();
    const host = await RawHost.connect(gateway.url);
    const first = new Promise<string>((resolve) => host.socket.once('data', (chunk) => resolve(String(chunk))));
    host.send(rawPost());
    expect(await within(5_000, 'the first bytes', first)).toMatch(
      /^HTTP\/1\.1 200 OK[\s\S]*acknowledged[\s\S]*\n\n\r\n$/,
    );
  });

  it.each([
    ['what is false or not announced', { toolsListChanged: false, promptsListChanged: true }],
    ['nothing', {}],
    ['no URIs', { resourceSubscriptions: [] }],
    ['URIs and tasks that are not announced', { resourceSubscriptions: ['file:///a'], taskIds: ['t'] }],
  ])('for %s is acknowledged with {} and completed at once (P-1.13, FIELD C22, C23)', async (_, filter) => {
    const gateway = await openGateway(DISABLED);
    const stream = await openListen(gateway.url, { filter });

    expect(await within(5_000, 'the end', stream.ended)).toBe('complete');
    expect(stream.messages.map(({ method, params, id }) => [method, params?.notifications, id])).toEqual([
      [ACKNOWLEDGED, {}, undefined],
      [undefined, undefined, 'L1'],
    ]);
    expect(stream.messages[1]?.result).toMatchObject({ resultType: 'complete' });
    await gateway.holds(0);
    expect(gateway.broker.attaches, 'nothing is attached for it').toBe(0);
  });

  it('is granted what is announced of what it asked for, once each, and no unknown member (P-1.3, SUB-03, FIELD A18, C23)', async () => {
    const gateway = await openGateway(DISABLED);
    const filter = JSON.stringify({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: false,
      foo: 1,
    });
    const body = listenBody('L1', {}).replace(
      '"notifications":{}',
      `"notifications":${filter.slice(0, -1)},"__proto__":{"resourcesListChanged":true},"constructor":{}}`,
    );
    const [acknowledgement] = (await gateway.open({ body })).messages;
    expect(acknowledgement?.params?.notifications).toEqual({ toolsListChanged: true });

    const next = await gateway.open({ filter: { resourcesListChanged: true } });
    expect(next.messages[0]?.params?.notifications, 'of a later listen').toEqual({ resourcesListChanged: true });
  });

  it('that names tasks without declaring the extension is told which capability it needs (P-4.1)', async () => {
    const gateway = await openGateway();
    const body = listenBody('L1', { taskIds: ['t'] }).replace(
      '{"extensions":{"io.modelcontextprotocol/tasks":{}}}',
      '{}',
    );
    const answer = await openListen(gateway.url, { body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      id: 'L1',
      error: { code: -32021, data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } } },
    });
  });
});

describe('a listen that waits for the broker', () => {
  it('is acknowledged when the broker has confirmed, and then told of what came in between (P-1.3, SUB-04, FIELD C1)', async () => {
    const gateway = await openGateway();
    gateway.broker.hold();
    const host = (await RawHost.connect(gateway.url)).send(rawPost());
    await eventually(5_000, 'the attach', () => gateway.broker.pending.length === 1);
    await gateway.publish({ kind: 'tools' });
    expect(host.text, 'no byte before the confirmation').toBe('');

    gateway.broker.confirm();
    await host.until(/acknowledged[\s\S]*tools\/list_changed/, 'the acknowledgement and the change');
  });

  it('is refused where the broker does not confirm, before a byte is streamed (INS-05, P-2.14, P-5, FIELD E5)', async () => {
    const gateway = await openGateway();
    gateway.broker.hold();
    const asked = openListen(gateway.url);
    await eventually(5_000, 'the attach', () => gateway.broker.pending.length === 1);
    gateway.broker.refuse();

    const answer = await asked;
    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({
      id: 'L1',
      error: { code: -32603, data: { reason: 'broker-unavailable' } },
    });
    expect(await gateway.metric('lg_listens_refused_total{reason="broker-unavailable"}')).toBe(1);
    await gateway.holds(0);
  });

  it('and whose host leaves meanwhile is released, and never acknowledged (P-1.7, SUB-09, FIELD C16)', async () => {
    const gateway = await openGateway();
    gateway.broker.hold();
    const hosts = [await RawHost.connect(gateway.url), await RawHost.connect(gateway.url)];
    for (const host of hosts) host.send(rawPost());
    await gateway.holds(2);
    hosts[0]?.socket.resetAndDestroy();
    hosts[1]?.socket.end();
    await gateway.holds(0);

    gateway.broker.confirm();
    await eventually(5_000, 'the detach', () => gateway.broker.attached(TEST_SERVER) === 0);
    expect(await gateway.metric('lg_streams_opened_total')).toBe(0);
    expect(gateway.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('an instance that holds as many streams as it may', () => {
  it('refuses the next before a byte is streamed, and takes one when one left (INS-05, P-5)', async () => {
    const gateway = await openGateway({ limits: { streamsPerInstance: 2 } });
    const [first] = [await gateway.open(), await gateway.open()];

    const refused = await openListen(gateway.url, { id: 7 });
    expect(refused.status).toBe(503);
    expect(refused.headers['content-type']).toBe('application/json');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ id: 7, error: { code: -32603, data: { reason: 'instance-full' } } });
    expect(await gateway.metric('lg_listens_refused_total{reason="instance-full"}')).toBe(1);

    first.close();
    await gateway.holds(1);
    await gateway.open();
  });
});
