import { openListen } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { openGateway } from '../test/test-gateway.ts';

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const UUID = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';

describe('a subscription id', () => {
  it.each([
    ['1', 1],
    ['"1"', '1'],
    ['0', 0],
    ['""', ''],
    ['-7', -7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    [JSON.stringify(UUID), UUID],
    ['"\\u2028 \\ud83d\\ude00"', '\u2028 😀'],
  ])(
    '%s keeps its JSON type and value in every message and in the id of the result (P-1.4, SUB-05, FIELD A4)',
    async (json, id) => {
      const gateway = await openGateway();
      const stream = await gateway.open({ id });
      await gateway.publish({ kind: 'tools' });
      await stream.next('the change');
      gateway.gateway.drain();
      await stream.next('the result');

      const tags = stream.messages.map(({ params, result }) => (params ?? result)?._meta?.[SUBSCRIPTION_ID]);
      expect(tags).toEqual([id, id, id]);
      expect(stream.messages[2]?.id).toBe(id);
      expect(stream.text, 'as it is written').toContain(`"${SUBSCRIPTION_ID}":${json}`);
    },
  );

  it('keeps two streams of one host apart, as 1 and "1" (P-1.6, SUB-08, FIELD A4)', async () => {
    const gateway = await openGateway();
    const byNumber = await gateway.open({ id: 1, filter: { toolsListChanged: true } });
    const byString = await gateway.open({ id: '1', filter: { promptsListChanged: true } });

    await gateway.publish([{ kind: 'tools' }, { kind: 'prompts' }]);
    expect(await byNumber.next()).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { [SUBSCRIPTION_ID]: 1 } },
    });
    expect(await byString.next()).toMatchObject({
      method: 'notifications/prompts/list_changed',
      params: { _meta: { [SUBSCRIPTION_ID]: '1' } },
    });
  });

  it('that two hosts share connects nothing of theirs, neither changes nor ends (P-1.6, FIELD A6)', async () => {
    const gateway = await openGateway();
    const one = await gateway.open({ id: 1, filter: { resourceSubscriptions: ['file:///one'] } });
    const other = await gateway.open({ id: 1, filter: { resourceSubscriptions: ['file:///other', 'file:///last'] } });

    await gateway.publish([
      { kind: 'resource', uri: 'file:///one' },
      { kind: 'resource', uri: 'file:///other' },
    ]);
    expect((await one.next()).params?.uri).toBe('file:///one');
    expect((await other.next()).params?.uri).toBe('file:///other');
    one.close();
    await gateway.holds(1);
    await gateway.publish({ kind: 'resource', uri: 'file:///last' });
    expect((await other.next()).params?.uri).toBe('file:///last');
    expect(one.messages).toHaveLength(2);
  });

  it('is an integer: 1.5 is refused, 3100.0 is the integer 3100 (FIELD A2, P-2.14)', async () => {
    const gateway = await openGateway();
    const withId = (json: string) => openListen(gateway.url, { body: listenWithId(json) });

    const refused = await withId('1.5');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } });
    const accepted = await withId('3100.0');
    await accepted.next('the acknowledgement');
    expect(accepted.text).toContain(`"${SUBSCRIPTION_ID}":3100}`);
  });

  it.each(['null', 'true', '[]', '{}', '9007199254740993', '1e300'])('is never %s (P-2.14)', async (json) => {
    const gateway = await openGateway();
    const refused = await openListen(gateway.url, { body: listenWithId(json) });
    expect(refused.status).toBe(400);
    const body = await refused.json();
    expect(body.error?.code).toBe(-32600);
    expect(body).not.toHaveProperty('id');
  });
});

function listenWithId(json: string): string {
  const meta =
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
  return `{"jsonrpc":"2.0","id":${json},"method":"subscriptions/listen","params":{${meta},"notifications":{"toolsListChanged":true}}}`;
}
