import { parseFrames } from '@listen-gateway/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change, Task } from './change.ts';
import { NOTIFICATION_METHODS } from './change.ts';
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from './meta-keys.ts';
import {
  acknowledgementFrame,
  completionFrame,
  KEEPALIVE_FRAME,
  notificationFrame,
  subscriptionIdJson,
} from './sse.ts';

const serverInfo = { name: 'acme-ops', version: '1.2.3' };

/** The one message of a text that is one whole frame. */
function messageIn(text: string): unknown {
  const frames = parseFrames(text);
  expect(frames).toHaveLength(1);
  expect(frames[0]?.event).toBe('message');
  return JSON.parse(frames[0]?.data ?? '');
}

const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
const jsonValue = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
const id = fc.oneof(anyText, fc.maxSafeInteger());
const uris = fc.array(anyText, { minLength: 1 });
const honored = fc.record(
  {
    toolsListChanged: fc.constant(true),
    promptsListChanged: fc.constant(true),
    resourcesListChanged: fc.constant(true),
    resourceSubscriptions: uris,
    taskIds: uris,
  },
  { requiredKeys: [] },
);
const task = fc.record({ taskId: anyText, status: fc.constant('working'), more: jsonValue }) as fc.Arbitrary<Task>;
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom('tools', 'prompts', 'resources') }),
  fc.record({ kind: fc.constant('resource'), uri: anyText }),
  fc.record({ kind: fc.constant('task'), task }),
);

describe('a frame', () => {
  it('of an acknowledgement says what is honored, and the id in _meta alone (P-1.3, P-1.4, SUB-03, FIELD C4)', () => {
    fc.assert(
      fc.property(id, honored, (id, honored) => {
        expect(messageIn(acknowledgementFrame(subscriptionIdJson(id), honored))).toStrictEqual({
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { _meta: { [SUBSCRIPTION_ID_META_KEY]: id }, notifications: { ...honored } },
        });
      }),
    );
  });

  it('of a change is its notification with the id, and nothing else (P-1.4, P-1.5, P-4.3, SUB-05, FIELD C4)', () => {
    fc.assert(
      fc.property(id, change, (id, change) => {
        const members = change.kind === 'resource' ? { uri: change.uri } : change.kind === 'task' ? change.task : {};
        expect(messageIn(notificationFrame(subscriptionIdJson(id), change))).toEqual({
          jsonrpc: '2.0',
          method: NOTIFICATION_METHODS[change.kind],
          params: { _meta: { [SUBSCRIPTION_ID_META_KEY]: id }, ...members },
        });
      }),
    );
  });

  it('of a change that is traced names its parent beside the id; without a trace it is byte for byte what it was (P-1.4, P-1.5)', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const trace = { traceparent, tracestate: 'acme=1' };
    const framed = (params: string) =>
      `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":${params}}\n\n`;
    const change = { kind: 'resource', uri: 'a' } as const;
    const id = `"${SUBSCRIPTION_ID_META_KEY}":7`;
    expect(notificationFrame('7', change)).toBe(framed(`{"_meta":{${id}},"uri":"a"}`));
    expect(notificationFrame('7', { ...change, trace })).toBe(
      framed(`{"_meta":{${id},"traceparent":"${traceparent}"},"uri":"a"}`),
    );
  });

  it('of a completion is the result of the listen, tagged and with the server named (P-1.8, SUB-10, FIELD C21)', () => {
    fc.assert(
      fc.property(id, fc.record({ name: anyText, version: anyText }), (id, serverInfo) => {
        expect(messageIn(completionFrame(subscriptionIdJson(id), serverInfo))).toEqual({
          jsonrpc: '2.0',
          id,
          result: {
            resultType: 'complete',
            _meta: { [SUBSCRIPTION_ID_META_KEY]: id, [SERVER_INFO_META_KEY]: serverInfo },
          },
        });
      }),
    );
  });

  it.each(['1', 1, 0, '', 'listen:0', '"', '\u2028', '\ud800'])(
    'carries the id %j in its JSON type, everywhere (P-1.4, FIELD A4)',
    (id) => {
      const idJson = subscriptionIdJson(id);
      const ids = [
        acknowledgementFrame(idJson, {}),
        notificationFrame(idJson, { kind: 'tools' }),
        completionFrame(idJson, serverInfo),
      ].map((text) => {
        const { params, result } = messageIn(text) as Record<string, { _meta: Record<string, unknown> }>;
        return (params ?? result)?._meta[SUBSCRIPTION_ID_META_KEY];
      });
      expect(ids).toStrictEqual([id, id, id]);
    },
  );

  it('of a keepalive is a comment, no event and no ping (INS-02, FIELD C6)', () => {
    expect(parseFrames(KEEPALIVE_FRAME)).toEqual([{ event: 'message', data: undefined, comments: [''] }]);
  });

  it('has no SSE id, which would suggest that something is replayed (P-1.10, FIELD B26)', () => {
    expect(notificationFrame('1', { kind: 'resource', uri: 'x\nid: 7' })).not.toMatch(/^(id|retry)/m);
  });

  it.each(['\u2028', '\u2029', '\u0085', '\r', '\n', '😀', '\ud83d', '\u007f', '\0', '\ufeff'])(
    'carries %j within a URI as ASCII, whole (FIELD C4)',
    (sign) => {
      const uri = `file:///${sign}/${sign}`;
      const text = notificationFrame('"1"', { kind: 'resource', uri });
      expect(text).toMatch(/^[\n\x20-\x7e]*$/);
      expect(messageIn(text)).toMatchObject({ params: { uri } });
    },
  );
});
