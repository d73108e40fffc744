import { eventually, freePort, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { DeafPort } from '../test/deaf-port.ts';
import { CALL, legacyMessage, message, openProxy, type Sent, send } from '../test/proxied-host.ts';
import { RawUpstream } from '../test/raw-upstream.ts';
import { StubUpstream } from '../test/stub-upstream.ts';

const refusedUrl = async () => `http://127.0.0.1:${await freePort()}/mcp`;
const UNREACHABLE = { code: -32603, message: 'The server behind this gateway cannot be reached' };
const TOO_SLOW = { code: -32603, message: 'The server behind this gateway took too long' };

describe('a request to an upstream', () => {
  it('that refuses connections is answered 502, within the time of a connection', async () => {
    const gateway = await openProxy(await refusedUrl());
    const answer = await send(gateway.url, CALL).answer();
    expect([answer.status, answer.values('content-type')]).toEqual([502, ['application/json']]);
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 'R1', error: UNREACHABLE });
  });

  it('whose name is unknown is answered 502', async () => {
    const gateway = await openProxy('http://nobody.invalid/mcp');
    expect((await send(gateway.url, CALL).answer(10_000)).status).toBe(502);
  });

  it('that takes no connection is answered 504 after connectTimeoutMs', async () => {
    const port = await DeafPort.open();
    try {
      const gateway = await openProxy(port.url, { connectTimeoutMs: 200 });
      const answer = await send(gateway.url, CALL).answer();
      expect([answer.status, await answer.json()]).toEqual([504, { jsonrpc: '2.0', id: 'R1', error: TOO_SLOW }]);
    } finally {
      await port.close();
    }
  });

  it('that gives no head is answered 504 after headTimeoutMs, and is not bothered any more', async () => {
    const upstream = await StubUpstream.open(() => {});
    const gateway = await openProxy(upstream.url, { headTimeoutMs: 200 });
    const answer = await send(gateway.url, CALL).answer();
    expect([answer.status, await answer.json()]).toEqual([504, { jsonrpc: '2.0', id: 'R1', error: TOO_SLOW }]);
    await within(1_000, 'the upstream to be told', (await upstream.request()).over);
  });

  it.each([
    ['closes', (): string | undefined => ''],
    ['resets', () => undefined],
    ['speaks something else', () => 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['breaks off in its head', () => 'HTTP/1.1 200 OK\r\nContent-Ty'],
    ['switches protocols', () => 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n'],
    ['has two lengths', () => 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    [
      'has a length and chunks',
      () => 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['has a head without end', () => `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('that %s before its head is answered 502, and the next request is served', async (_, bytes) => {
    const upstream = await RawUpstream.open(({ socket }) => {
      if (upstream.connections.length > 1) {
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'));
        return;
      }
      socket.once('data', () => {
        const said = bytes();
        if (said === undefined) socket.resetAndDestroy();
        else socket.end(said);
      });
    });
    const gateway = await openProxy(upstream.url);
    const answer = await send(gateway.url, CALL).answer();
    expect([answer.status, await answer.json()]).toEqual([502, { jsonrpc: '2.0', id: 'R1', error: UNREACHABLE }]);
    expect(answer.text).not.toContain('Switching');
    expect((await send(gateway.url, CALL).answer()).status).toBe(200);
  });

  it.each([
    ['in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', 'half'],
    ['in its chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', 'half'],
    [
      'in its stream',
      'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n',
      'data: 1',
    ],
    ['by a wrong chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nxyz\r\n', 'half'],
  ])('that breaks off %s has the answer cut, so that half of it is not taken for all', async (_, bytes, half) => {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const upstream = await RawUpstream.open(({ socket }) => {
        socket.once('data', () => socket.write(bytes));
      });
      const gateway = await openProxy(upstream.url);
      const answer = await send(gateway.url, CALL).answer();
      // The wrong chunk ends the answer itself, maybe before the half is shown.
      if (!bytes.includes('xyz')) {
        await answer.shows(half);
        (await upstream.connection()).socket[end]();
      }
      expect(await answer.end()).toBe('cut');
      expect(await gateway.metric('lg_proxy_requests_total{outcome="cut"}')).toBe(1);
    }
  });
});

describe('the error of an upstream that is down', () => {
  const PARAMS = { name: 'work', arguments: {} };
  it.each(['R1', '', 0, 7, -3, '7'])('has the id %j of its request, in its type (P-2.14)', async (id) => {
    const gateway = await openProxy(await refusedUrl());
    const answer = await send(gateway.url, message('tools/call', PARAMS, id)).answer();
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id, error: UNREACHABLE });
  });

  it.each([
    ['a notification', message('notifications/progress', {}, null)],
    ['a legacy notification', legacyMessage({ jsonrpc: '2.0', method: 'notifications/initialized' })],
    ['a response to a request of the upstream', legacyMessage({ jsonrpc: '2.0', id: 1, result: {} })],
  ])('is the status alone for %s, which no JSON-RPC message may answer (SUB-18)', async (_, sent) => {
    const gateway = await openProxy(await refusedUrl());
    const answer = await send(gateway.url, sent).answer();
    expect([answer.status, await answer.end(), answer.text]).toEqual([502, 'complete', '']);
  });

  it.each(['GET', 'DELETE'] as const)('has no id for %s, which has none (P-2.14)', async (method) => {
    const gateway = await openProxy(await refusedUrl());
    const sent: Sent = { method, headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': 'abc' } };
    const answer = await send(gateway.url, sent).answer();
    expect([answer.status, await answer.json()]).toEqual([502, { jsonrpc: '2.0', error: UNREACHABLE }]);
  });

  it('tells operators which server it was, and what the host must not know; of neither does it tell a secret (FIELD F17)', async () => {
    const upstream = await RawUpstream.open(({ socket }) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nX-Secret: s3cr3t-of-the-upstream\r\nX-Secret\r\n\r\n'));
    });
    const gateway = await openProxy(upstream.url, { authorization: 'pass' });
    const secret = { ...CALL, headers: { ...CALL.headers, Authorization: 'Bearer s3cr3t-of-the-host' } };
    expect((await send(gateway.url, secret).answer()).status).toBe(502);
    await eventually(1_000, 'the line of the log', () => gateway.log.some(({ msg }) => msg === 'upstream failed'));
    const line = gateway.log.find(({ msg }) => msg === 'upstream failed');
    expect(line).toMatchObject({ level: 'warn', serverId: 'default', outcome: 'failed', why: expect.any(String) });
    expect(JSON.stringify(gateway.log)).not.toContain('s3cr3t');
  });
});

describe('open streams', () => {
  it('are untouched by an upstream that goes, stays away and comes back (P-1.5)', async () => {
    const upstream = await StubUpstream.open();
    const { port } = upstream;
    const gateway = await openProxy(upstream.url);
    const before = await gateway.open();
    await upstream.close();
    expect((await send(gateway.url, CALL).answer()).status).toBe(502);
    const during = await gateway.open();
    await gateway.publish({ kind: 'tools' });
    for (const stream of [before, during]) {
      expect((await stream.next()).method).toBe('notifications/tools/list_changed');
    }

    await StubUpstream.open(undefined, port);
    expect((await send(gateway.url, CALL).answer()).status, 'without a restart').toBe(200);
    await gateway.publish({ kind: 'tools' });
    for (const stream of [before, during]) {
      expect((await stream.next()).method).toBe('notifications/tools/list_changed');
    }
  });

  it('are served while requests of the same server hang', async () => {
    const upstream = await StubUpstream.open(() => {});
    const gateway = await openProxy(upstream.url);
    const hanging = Array.from({ length: 50 }, () => send(gateway.url, CALL));
    await upstream.request(50);
    // Of an upstream that says nothing to discover either, the configuration is honored after two seconds.
    const stream = await gateway.open();
    await gateway.publish({ kind: 'tools' });
    expect((await stream.next()).method).toBe('notifications/tools/list_changed');
    for (const host of hanging) host.leave();
  });
});
