import { LISTEN_HEADERS, listenBody } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { AUDIENCE, openGuarded, openIssuer } from '../test/guarded-gateway.ts';
import { CALL, legacyMessage, message, type Sent, send } from '../test/proxied-host.ts';
import { RawHost, rawPost } from '../test/raw-host.ts';
import { StubUpstream } from '../test/stub-upstream.ts';
import { openGateway } from '../test/test-gateway.ts';

const MARKER = 'eyJhbGciOiJFUzI1NiJ9.bWFya2VyLXRva2Vu.bWFya2Vy';

/** An instance that asks for tokens, in front of an upstream. */
async function openProxied(upstream: StubUpstream, settings: object = {}) {
  const issuer = await openIssuer();
  const auth = { issuer: issuer.issuer, audience: AUDIENCE };
  const servers = { default: { auth, upstream: { url: upstream.url, ...settings } } };
  const { url } = await openGateway({ servers });
  return { url, token: await issuer.sign({ aud: AUDIENCE }) };
}

describe('a server that asks for tokens', () => {
  it.each<[string, Sent]>([
    ['a listen', { headers: LISTEN_HEADERS, body: listenBody('L1', { toolsListChanged: true }) }],
    ['a discover', message('server/discover')],
    ['a tool call', CALL],
    ['a notification', message('notifications/progress', {}, null)],
    ['a notification that is accepted and no more', message('notifications/cancelled', { requestId: 1 }, null)],
    ['a request of an earlier revision', legacyMessage({ jsonrpc: '2.0', id: 1, method: 'ping' })],
    ['the stream of a session', { method: 'GET', headers: { Accept: 'text/event-stream' } }],
    ['the end of a session', { method: 'DELETE' }],
    ['what is no JSON', { headers: { 'Content-Type': 'application/json' }, body: '{' }],
  ])('lets nobody through to %s without one (P-3.1)', async (_, sent) => {
    const upstream = await StubUpstream.open();
    const { url, token } = await openProxied(upstream);
    expect((await send(url, sent).answer()).status).toBe(401);
    expect(upstream.requests).toEqual([]);
    const headers = { ...sent.headers, Authorization: `Bearer ${token}` };
    expect((await send(url, { ...sent, headers }).answer()).status).not.toBe(401);
  });

  it.each([
    ['off', {}, false],
    ['pass', { authorization: 'pass' }, true],
  ])('tells the upstream of the token what upstream.authorization says: %s (P-3.4)', async (_, settings, told) => {
    const upstream = await StubUpstream.open();
    const { url, token } = await openProxied(upstream, settings);
    const answer = await send(url, {
      ...CALL,
      headers: { ...CALL.headers, Authorization: `Bearer ${token}` },
    }).answer();
    await answer.end();
    expect(upstream.requests.at(-1)?.values('Authorization')).toEqual(told ? [`Bearer ${token}`] : []);
  });

  it('refuses before it has read a byte of the body', async () => {
    const { gateway } = await openGuarded();
    const host = await RawHost.connect(gateway.url);
    host.send(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n',
    );
    await host.until(/^HTTP\/1\.1 401 /, 'the refusal');
  });

  it('answers the next request of a connection whose last one it refused unread', async () => {
    const guarded = await openGuarded();
    const host = await RawHost.connect(guarded.gateway.url);
    host.send(rawPost() + rawPost({ extra: [['Authorization', `Bearer ${await guarded.token()}`]] }));
    await host.until(/^HTTP\/1\.1 401 [\s\S]*HTTP\/1\.1 200 [\s\S]*acknowledged/, 'both answers');
  });

  it('refuses a request that bears two tokens, of which a server behind might take the other', async () => {
    const guarded = await openGuarded();
    const good = `Bearer ${await guarded.token()}`;
    for (const values of [
      [good, 'Bearer other'],
      [good, good],
    ]) {
      const host = await RawHost.connect(guarded.gateway.url);
      host.send(rawPost({ extra: values.map((value) => ['Authorization', value] as const) }));
      await host.until(/^HTTP\/1\.1 40[01] /, 'the refusal');
    }
    expect(await guarded.refused('malformed')).toBe(2);
  });

  it('writes no token to its log, and no error, however many it refuses (FIELD F17)', async () => {
    const guarded = await openGuarded();
    const good = await guarded.token({ jti: 'marker-jti' });
    await (await guarded.open(good)).close();
    for (const authorization of [`Bearer ${MARKER}`, 'Basic bWFya2Vy', `Bearer ${good}x`, undefined]) {
      for (let at = 0; at < 50; at += 1) await (await guarded.listen(authorization)).json();
    }
    await guarded.gateway.holds(0);
    const written = JSON.stringify(guarded.gateway.log);
    for (const secret of [MARKER, 'bWFya2Vy', good, 'marker-jti', ...good.split('.')])
      expect(written).not.toContain(secret);
    const refusals = guarded.gateway.log.filter(({ msg }) => msg === 'host refused');
    expect(refusals).toHaveLength(200);
    expect(new Set(refusals.map(({ level }) => level))).toEqual(new Set(['debug']));
    expect(guarded.gateway.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('counts refusals apart from streams: none is opened by them (FIELD F13)', async () => {
    const guarded = await openGuarded();
    for (let at = 0; at < 20; at += 1) await guarded.listen(undefined);
    await guarded.gateway.holds(0);
    expect(await guarded.refused('missing')).toBe(20);
    expect(await guarded.gateway.metric('lg_streams_opened_total')).toBe(0);
  });
});
