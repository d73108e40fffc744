import { eventually, INSTALL_MS, type ListenAnswer, startService } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call } from './call.ts';
import { Collector } from './collector.ts';
import { newParent, TracedFleet } from './traced-fleet.ts';

const TOOLS = { method: 'notifications/tools/list_changed' };
const UNTRACED =
  'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L1"}}}\n\n';

/** Has a process print the packages of OpenTelemetry that it loads. */
const PRINT_PACKAGES = `
  import { registerHooks } from 'node:module';
  const seen = new Set();
  registerHooks({ load(url, context, next) {
    const name = /@opentelemetry\\/[^/]+/.exec(url)?.[0];
    if (name && !seen.has(name)) process.stderr.write('loads ' + name + '\\n');
    seen.add(name);
    return next(url, context);
  } });`;
const PRINTING = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRINT_PACKAGES)}` };
const packagesOf = ({ output }: { readonly output: string }) =>
  Array.from(output.matchAll(/^loads @opentelemetry\/(.+)$/gm), ([, name]) => name);

let collector: Collector;
beforeAll(async () => {
  collector = await Collector.open();
});
afterAll(() => collector.close());

describe.each([
  ['that nobody asked for spans', () => PRINTING],
  ['that samples nothing', () => ({ ...collector.env, OTEL_TRACES_SAMPLER: 'always_off' })],
])('a deployment %s', (_what, env) => {
  let fleet: TracedFleet;
  const streams: ListenAnswer[] = [];

  beforeAll(async () => {
    fleet = await TracedFleet.open(env());
  }, INSTALL_MS);
  afterAll(() => fleet?.close());
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });

  /** What each host reads of a publish. */
  const read = async (headers: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    streams.push(...(await fleet.listen()));
    const before = streams.map(({ text }) => text.length);
    await fleet.publish(TOOLS, headers);
    await Promise.all(streams.map((stream) => stream.next('the notification')));
    return streams.map(({ text }, at) => text.slice(before[at]));
  };

  it('tells hosts of the trace of the backend as it came', async () => {
    const { traceparent } = newParent();
    const told = UNTRACED.replace('"L1"', `"L1","traceparent":"${traceparent}"`);
    expect(await read({ traceparent, tracestate: 'acme=1', baggage: 'user=ann' })).toEqual([told, told]);
  });

  it.each([{}, { traceparent: '00-x' }, { tracestate: 'acme=1' }, { baggage: 'user=ann' }])(
    'begins none where the backend sent %j: hosts read what they have always read',
    async (headers) => expect(await read(headers)).toEqual([UNTRACED, UNTRACED]),
  );

  it('forwards what hosts say of their trace as it is', async () => {
    const { traceparent } = newParent();
    const headers = { traceparent, tracestate: 'acme=1, b=2', baggage: 'user=ann' };
    expect(await call(fleet.gateways[0].url, headers)).toBe(200);
    expect(fleet.asked.at(-1)).toMatchObject(headers);
    expect(await call(fleet.gateways[0].url, { traceparent: '00-x' })).toBe(200);
    expect(fleet.asked.at(-1)).toMatchObject({ traceparent: '00-x' });
  });

  it('exports nothing, not even at its end', async () => {
    for (const service of [fleet.publisher, ...fleet.gateways]) {
      service.signal('SIGTERM');
      expect(await service.ended()).toBe(0);
    }
    expect(collector.spans).toEqual([]);
  });
});

describe('the SDK of OpenTelemetry', () => {
  const publish = async (url: string) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/v1/servers/default/changes`, {
      method: 'POST',
      headers,
      body: JSON.stringify(TOOLS),
    });
    expect(response.status).toBe(202);
  };

  it('is loaded only where the environment asks for spans', async () => {
    const [asked, unasked] = await Promise.all([
      startService('publisher', { ...PRINTING, ...collector.env }),
      startService('gateway', { ...PRINTING, ...collector.env, OTEL_SDK_DISABLED: 'true' }),
    ]);
    expect(packagesOf(asked)).toEqual(expect.arrayContaining(['api', 'sdk-node', 'sdk-trace']));
    expect(packagesOf(unasked)).toEqual(['api']);
    await Promise.all([asked.kill(), unasked.kill()]);
  });

  it('exports the last spans before the process ends, under the name that the environment gives', async () => {
    const service = await startService('publisher', {
      ...collector.env,
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      OTEL_SERVICE_NAME: 'changes',
      OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=acme',
    });
    await publish(service.url);
    expect(collector.spans).toEqual([]);
    service.signal('SIGTERM');
    expect(await service.ended()).toBe(0);
    expect(collector.spans.splice(0)).toMatchObject([{ name: 'publish default', service: 'acme/changes' }]);
  });

  it('keeps no process from its end whose collector does not answer', async () => {
    const service = await startService('publisher', { ...collector.env, OTEL_EXPORTER_OTLP_TIMEOUT: '600000' });
    collector.hangs = true;
    await publish(service.url);
    service.signal('SIGTERM');
    expect(await service.ended()).toBe(0);
    expect(service.log.map(({ msg }) => msg)).toContain('the collector is too slow; the last spans are left behind');
    collector.hangs = false;
  });

  it('makes no failure of an end without a collector', async () => {
    // Refused for good: where it may be there again soon the SDK tries again, for longer than it is waited for.
    const service = await startService('publisher', { ...collector.env, OTEL_EXPORTER_OTLP_HEADERS: 'no name=1' });
    await publish(service.url);
    service.signal('SIGTERM');
    expect(await service.ended()).toBe(0);
    expect(service.log.map(({ level }) => level)).not.toContain('error');
    expect(service.log.map(({ msg }) => msg)).toContain('the last spans could not be exported');
  });

  it('says in the log what is wrong with its variables, and the service serves', async () => {
    const service = await startService('publisher', { ...collector.env, OTEL_TRACES_SAMPLER: 'sometimes' });
    await publish(service.url);
    const why = expect.stringContaining('OTEL_TRACES_SAMPLER');
    await eventually(5_000, 'the warning', () => service.log.some(({ msg }) => msg === 'OpenTelemetry'));
    expect(service.log).toContainEqual(expect.objectContaining({ level: 'warn', msg: 'OpenTelemetry', why }));
    await service.kill();
  });

  it.each([
    ['a header that is none', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_HEADERS: 'key=s3%22cret%0A-' }],
    ['a URL that is none', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_ENDPOINT: '::::' }],
    ['a URL of Zipkin that is none', { OTEL_TRACES_EXPORTER: 'zipkin', OTEL_EXPORTER_ZIPKIN_ENDPOINT: 'nowhere' }],
  ])('that cannot be started leaves the service at work: %s', async (_what, env) => {
    const service = await startService('publisher', { ...collector.env, ...env });
    await publish(service.url);
    expect(service.log).toContainEqual(expect.objectContaining({ level: 'error', msg: 'no spans are exported' }));
    expect(service.output).not.toContain('cret');
    await service.kill();
  });

  it.each([
    ['debug', true],
    ['warn', false],
    ['30', false],
  ])('says as much of itself as OTEL_LOG_LEVEL=%s asks for, and nothing beside the log', async (level, isTold) => {
    const service = await startService('publisher', { ...collector.env, OTEL_LOG_LEVEL: level });
    expect(service.log.some(({ msg }) => msg === 'OpenTelemetry')).toBe(isTold);
    for (const line of service.output.trimEnd().split('\n')) expect(line).toMatch(/^\{.*\}$/);
    await service.kill();
  });
});
