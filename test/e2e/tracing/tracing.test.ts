import { eventually, INSTALL_MS, type ListenAnswer } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OfficialHost } from '../official-host.ts';
import { call, ENVELOPE } from './call.ts';
import { Collector, type ExportedSpan } from './collector.ts';
import { newParent, TracedFleet, told } from './traced-fleet.ts';

const TOOLS = { method: 'notifications/tools/list_changed' };
const LISTEN = 'subscriptions/listen';

let collector: Collector;
let fleet: TracedFleet;
const streams: ListenAnswer[] = [];

beforeAll(async () => {
  collector = await Collector.open();
  fleet = await TracedFleet.open(collector.env);
}, INSTALL_MS);

afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

afterAll(async () => {
  await fleet?.close();
  await collector.close();
});

const listen = async (...args: Parameters<TracedFleet['listen']>) => {
  const both = await fleet.listen(...args);
  streams.push(...both);
  return both;
};
const named = (spans: readonly ExportedSpan[], name: string) => spans.filter((span) => span.name === name);
const one = (spans: readonly ExportedSpan[], name: string): ExportedSpan => {
  const [span, ...more] = named(spans, name);
  if (span === undefined || more.length > 0) throw new Error(`${more.length} more of ${span?.name}`);
  return span;
};

describe('the trace of a backend', () => {
  it('goes on through the publisher to the fan-out of each instance, and to the hosts', async () => {
    const hosts = await listen();
    const backend = newParent();
    await fleet.publish(TOOLS, { traceparent: backend.traceparent, tracestate: 'acme=1', baggage: 'user=ann' });
    const heard = await Promise.all(hosts.map(told));
    const spans = await collector.trace(backend.traceId, 3);

    const publish = one(spans, 'publish default');
    expect(publish).toMatchObject({
      service: 'listen-gateway/publisher',
      scope: 'listen-gateway',
      kind: 2,
      parentSpanId: backend.spanId,
      failed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/servers/{server}/changes',
        'http.response.status_code': 202,
        'messaging.operation.name': 'publish',
        'messaging.destination.name': 'default',
        'messaging.batch.message_count': 1,
      },
    });
    const fanOuts = named(spans, 'fan-out default');
    for (const span of fanOuts) {
      expect(span).toMatchObject({
        service: 'listen-gateway/gateway',
        kind: 5,
        parentSpanId: publish.spanId,
        links: [publish.spanId],
        attributes: { 'messaging.destination.name': 'default', 'listen_gateway.change.kind': 'tools' },
      });
    }
    expect(new Set(fanOuts.map((span) => span.process)).size).toBe(2);
    expect(heard.map(({ spanId }) => spanId).sort()).toEqual(fanOuts.map(({ spanId }) => spanId).sort());
    for (const { text } of hosts) expect(text).not.toMatch(/tracestate|baggage|acme=1|ann/);
    const isOfIt = (line: Readonly<Record<string, unknown>>) =>
      line.msg === 'changes published' && line.trace_id === backend.traceId;
    await eventually(5_000, 'the line that names the trace', () => fleet.publisher.log.some(isOfIt));
  });

  it('is one span on an instance, however many streams are told', async () => {
    await listen();
    for (let n = 0; n < 20; n += 1) streams.push(await fleet.listenAt(fleet.gateways[0], { id: n }));
    const backend = newParent();
    await fleet.publish(TOOLS, { traceparent: backend.traceparent });
    const heard = await Promise.all(streams.map(told));
    const fanOuts = named(await collector.trace(backend.traceId, 3), 'fan-out default');
    expect(fanOuts.map(({ attributes }) => Number(attributes['listen_gateway.streams'])).sort()).toEqual([1, 21]);
    expect(new Set(heard.map(({ spanId }) => spanId))).toEqual(new Set(fanOuts.map(({ spanId }) => spanId)));
  });

  it('is that of the change itself where the change has one, and the publish is linked to it', async () => {
    const hosts = await listen();
    const [request, own] = [newParent(), newParent()];
    const _meta = { traceparent: own.traceparent };
    await fleet.publish({ changes: [{ ...TOOLS, params: { _meta } }] }, { traceparent: request.traceparent });
    const heard = await Promise.all(hosts.map(told));
    const publish = one(await collector.trace(request.traceId, 1), 'publish default');
    const spans = await collector.trace(own.traceId, 3);
    const create = one(spans, 'create default');
    expect(create).toMatchObject({ kind: 4, parentSpanId: own.spanId, links: [publish.spanId] });
    expect(named(spans, 'fan-out default').map(({ parentSpanId }) => parentSpanId)).toEqual([
      create.spanId,
      create.spanId,
    ]);
    expect(heard.map(({ traceId }) => traceId)).toEqual([own.traceId, own.traceId]);
  });

  it('that is malformed is no error: a trace of its own begins', async () => {
    const hosts = await listen();
    const { traceId, traceparent } = newParent();
    await fleet.publish(TOOLS, { traceparent: traceparent.toUpperCase(), tracestate: 'acme=1' });
    const [heard, other] = await Promise.all(hosts.map(told));
    expect(heard?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(heard?.traceId).toBe(other?.traceId);
    expect(heard?.traceId).not.toBe(traceId);
    const spans = await collector.trace(heard?.traceId ?? '', 3);
    expect(one(spans, 'publish default').parentSpanId ?? '').toBe('');
  });

  it('is not lost with a break: what an instance catches up with is in it', async () => {
    const [first, second] = await listen();
    const backend = newParent();
    fleet.relay.cut();
    await fleet.publish(TOOLS, { traceparent: backend.traceparent });
    expect((await told(second)).traceId).toBe(backend.traceId);
    fleet.relay.restore();
    expect((await told(first)).traceId).toBe(backend.traceId);
    const spans = await collector.trace(backend.traceId, 3);
    expect(named(spans, 'fan-out default')).toHaveLength(2);
    await fleet.gateways[0].ready();
  });

  it('is told to the official client beside its subscription, whose filter it does not disturb', async () => {
    const host = await OfficialHost.connect(`${fleet.gateways[0].url}/mcp`);
    const { honoredFilter } = await host.client.listen({
      toolsListChanged: true,
      resourceSubscriptions: ['file:///a'],
    });
    const backend = newParent();
    await fleet.publish(
      { changes: [TOOLS, { method: 'notifications/resources/updated', params: { uri: 'file:///a' } }] },
      { traceparent: backend.traceparent },
    );
    for (const { params = {} } of await host.hears(2)) {
      const { traceparent, ...rest } = params._meta as Record<string, unknown>;
      expect(traceparent).toMatch(new RegExp(`^00-${backend.traceId}-[0-9a-f]{16}-01$`));
      expect(Object.keys(rest)).toEqual(['io.modelcontextprotocol/subscriptionId']);
    }
    expect(honoredFilter).toEqual({ toolsListChanged: true, resourceSubscriptions: ['file:///a'] });
    await host.client.close();
  });
});

describe('the trace of a host', () => {
  it('has the listen in it, which ends with the acknowledgement while the stream goes on', async () => {
    const [host, proxy] = [newParent(), newParent()];
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: LISTEN,
      params: { _meta: { ...ENVELOPE, traceparent: host.traceparent }, notifications: { toolsListChanged: true } },
    };
    const headers = { traceparent: proxy.traceparent };
    const stream = await fleet.listenAt(fleet.gateways[0], { body: JSON.stringify(body), headers });
    streams.push(stream);
    const [span] = await collector.trace(host.traceId, 1);
    expect(span).toMatchObject({
      name: `${LISTEN} default`,
      kind: 2,
      parentSpanId: host.spanId,
      links: [proxy.spanId],
      attributes: { 'mcp.method.name': LISTEN, 'http.response.status_code': 200 },
    });
    await fleet.publish(TOOLS);
    expect((await told(stream)).traceId).not.toBe(host.traceId);
  });

  it('goes on to the upstream by way of a span of the instance; baggage stays as it is', async () => {
    const host = newParent();
    const [first] = fleet.gateways;
    const headers = { traceparent: host.traceparent, tracestate: 'acme=1', baggage: 'user=ann' };
    expect(await call(first.url, headers)).toBe(200);
    const [span] = await collector.trace(host.traceId, 1);
    expect(span).toMatchObject({
      name: 'forward backed',
      kind: 3,
      parentSpanId: host.spanId,
      attributes: { 'mcp.method.name': 'tools/list', 'http.response.status_code': 200 },
    });
    const traceparent = `00-${host.traceId}-${span?.spanId}-01`;
    expect(fleet.asked.at(-1)).toMatchObject({ traceparent, tracestate: 'acme=1', baggage: 'user=ann' });
  });
});
