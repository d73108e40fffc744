import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROMPTS, resource, TestPublisher, TOOLS, task } from '../test/test-publisher.ts';

const ONE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const OTHER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

let publisher: TestPublisher;

beforeEach(async () => {
  publisher = await new TestPublisher().start();
  await publisher.listen();
});
afterEach(() => publisher.close());

const traces = () => publisher.listener.changes.map((change) => ('trace' in change ? change.trace : undefined));
const traced = (change: { readonly method: string; readonly params?: object }, _meta: object) => ({
  ...change,
  params: { ...change.params, _meta },
});

describe('a publish with a trace', () => {
  it('has each of its changes carried in it, and nothing of its baggage', async () => {
    const headers = { traceparent: ONE, tracestate: 'acme=1', baggage: 'user=ann' };
    const answer = await publisher.post({ changes: [TOOLS, resource('a'), task('t')] }, headers);
    expect(answer.status).toBe(202);
    const trace = { traceparent: ONE, tracestate: 'acme=1' };
    expect(traces()).toStrictEqual([trace, trace, trace]);
    expect(JSON.stringify(publisher.listener.changes)).not.toContain('baggage');
  });

  it('leaves a change that has one of its own in that', async () => {
    const own = traced(PROMPTS, { traceparent: OTHER, baggage: 'user=ann' });
    const bad = traced(resource('a'), { traceparent: OTHER.toUpperCase() });
    await publisher.post({ changes: [TOOLS, own, bad] }, { traceparent: ONE });
    expect(traces()).toStrictEqual([{ traceparent: ONE }, { traceparent: OTHER }, { traceparent: ONE }]);
  });

  it.each([
    {},
    { traceparent: '' },
    { traceparent: `${ONE}, ${OTHER}` },
    { tracestate: 'acme=1' },
    { traceparent: 'x' },
  ])('that is none or malformed carries none, and is no error: %j', async (headers: Record<string, string>) => {
    expect((await publisher.post(TOOLS, headers)).status).toBe(202);
    expect(publisher.listener.changes).toStrictEqual([{ kind: 'tools' }]);
  });

  it('is the same publish when it is tried again, which is another step of the trace', async () => {
    const key = { 'Idempotency-Key': 'k' };
    const first = await publisher.post(TOOLS, { ...key, traceparent: ONE });
    const again = await publisher.post(traced(TOOLS, { traceparent: OTHER }), { ...key, traceparent: OTHER });
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(again.json).toEqual(first.json);
    expect(traces()).toEqual([{ traceparent: ONE }]);
  });

  it('is named in the lines of the log that are of it, and only there', async () => {
    await publisher.post(TOOLS, { traceparent: ONE });
    await publisher.post(TOOLS);
    const ofPublishes = publisher.logged.filter(({ msg }) => msg === 'changes published' || msg === 'publish ended');
    const id = ONE.slice(3, 35);
    expect(ofPublishes.map(({ trace_id }) => trace_id)).toEqual([id, id, undefined, undefined]);
  });
});
