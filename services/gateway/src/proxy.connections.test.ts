import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { eventually, within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { CALL, HostAnswer, openProxy, send } from '../test/proxied-host.ts';
import { RawUpstream } from '../test/raw-upstream.ts';
import { StubUpstream } from '../test/stub-upstream.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const statusOf = async (url: string) => {
  const answer = await send(url, CALL).answer();
  await answer.end();
  return answer.status;
};

describe('connections to an upstream', () => {
  it('are reused: one for 200 requests in a row, 20 for 20 at once, however often', async () => {
    const upstream = await StubUpstream.open();
    const { url } = await openProxy(upstream.url);
    for (let number = 0; number < 200; number += 1) expect(await statusOf(url)).toBe(200);
    expect(upstream.connections).toBe(1);
    for (let round = 0; round < 10; round += 1) {
      const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(url)));
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    expect(upstream.connections).toBeLessThanOrEqual(20);
    expect(upstream.requests).toHaveLength(400);
  });

  it('carry one request at a time: none waits behind a stream', async () => {
    const upstream = await StubUpstream.open(({ json, response }) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      if (json.id !== 'R1') response.end();
    });
    const { url } = await openProxy(upstream.url);
    const streams = await Promise.all(Array.from({ length: 30 }, () => send(url, CALL).answer()));
    const quick = { ...CALL, body: String(CALL.body).replace('"R1"', '"R2"') };
    expect(await (await send(url, quick).answer()).end()).toBe('complete');
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200));
  });

  it('of a host that keeps its own leave no listener behind on it', async () => {
    const warnings: string[] = [];
    const warn = (warning: Error) => warnings.push(warning.name);
    process.on('warning', warn);
    const upstream = await StubUpstream.open();
    const { url } = await openProxy(upstream.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let number = 0; number < 50; number += 1) {
      const sent = request(url, { method: 'POST', agent, headers: CALL.headers as Record<string, string> });
      sent.end(CALL.body);
      const [response] = await within(5_000, 'the answer', once(sent, 'response'));
      expect(await new HostAnswer(response).end()).toBe('complete');
    }
    agent.destroy();
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  it('that the upstream closes while they are idle are not used again: no storm of 502 after a pause', async () => {
    const upstream = await RawUpstream.open(({ socket }) => {
      socket.on('data', () => socket.write(OK));
    });
    const { url } = await openProxy(upstream.url);
    for (const way of ['end', 'resetAndDestroy'] as const) {
      const before = upstream.connections.length;
      const hosts = Array.from({ length: 40 }, () => statusOf(url));
      expect(new Set(await Promise.all(hosts))).toEqual(new Set([200]));
      const used = upstream.connections.slice(before);
      for (const { socket } of used) socket[way]();
      await within(5_000, 'the ends of all connections', Promise.all(used.map(({ over }) => over)));
      const again = Array.from({ length: 40 }, () => statusOf(url));
      expect(new Set(await Promise.all(again))).toEqual(new Set([200]));
      for (const { socket } of upstream.connections) socket.destroy();
    }
  });

  it('are given up before the upstream does, where it says for how long it keeps them', async () => {
    const upstream = await RawUpstream.open(({ socket }) => {
      socket.on('data', () => socket.write(OK.replace('\r\n\r\n', '\r\nKeep-Alive: timeout=2\r\n\r\n')));
    });
    const { url } = await openProxy(upstream.url);
    for (let number = 1; number <= 3; number += 1) {
      expect(await statusOf(url)).toBe(200);
      // Two seconds are the margin: of so short a time nothing is left.
      await within(1_000, 'the connection to be given up', (await upstream.connection(number)).over);
    }
    expect(upstream.connections).toHaveLength(3);
  });

  it('that the upstream closes just as it gets a request: the request is answered 502 and never sent twice', async () => {
    let served = 0;
    const upstream = await RawUpstream.open((connection) => {
      connection.socket.on('data', () => {
        served += 1;
        // The second may have been acted upon: a second tools/call could be the second order.
        if (served === 2) connection.socket.end();
        else connection.socket.write(OK);
      });
    });
    const { url } = await openProxy(upstream.url);
    expect([await statusOf(url), await statusOf(url), await statusOf(url)]).toEqual([200, 502, 200]);
    expect(served).toBe(3);
    expect(upstream.connections).toHaveLength(2);
  });

  it('end where the upstream asks for it, and where a host leaves, and the others are kept', async () => {
    const upstream = await StubUpstream.open(({ json, response }) => {
      if (json.id === 'R1') response.writeHead(200, { Connection: 'close' }).end();
      if (json.id === 'R2') response.writeHead(200).end();
    });
    const { url } = await openProxy(upstream.url);
    const of = (id: string) => send(url, { ...CALL, body: String(CALL.body).replace('"R1"', `"${id}"`) });
    for (let number = 0; number < 3; number += 1) await (await of('R1').answer()).end();
    expect(upstream.connections).toBe(3);
    await (await of('R2').answer()).end();
    await (await of('R2').answer()).end();
    expect(upstream.connections).toBe(4);
    const leaves = of('R3');
    await upstream.request(6);
    leaves.leave();
    await eventually(5_000, 'the connection of the host that left to end', () => upstream.openConnections === 0);
    expect((await of('R2').answer()).status).toBe(200);
    expect(upstream.connections).toBe(5);
  });
});
