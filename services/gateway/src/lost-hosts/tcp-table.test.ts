import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type ConnectionEnds, connectionKey, readTcpTables, retransmitting } from './tcp-table.ts';

const HEADER =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     ';
const line = (tail: string) =>
  `   1: 0100007F:1F90 0200007F:A2C4 ${tail}     0        0 1331265 1 00000000cbcc6c54 100 0 0 10 0`;
const END: ConnectionEnds = { localPort: 8080, remoteAddress: '127.0.0.2', remotePort: 0xa2c4 };

describe('the table of connections', () => {
  it.each([
    ['sent anew', '01 00000003:00000000 01:00000064 00000004', [connectionKey(END)]],
    ['waiting for an acknowledgement, as on any busy stream', '01 00000003:00000000 01:00000064 00000000', []],
    ['with nothing under way', '01 00000000:00000000 00:00000000 00000000', []],
    ['half-open, not established', '02 00000001:00000000 01:00000064 00000003', []],
  ])('tells a connection %s from the others', (_what, tail, keys) => {
    expect([...retransmitting(`${HEADER}\n${line(tail)}\n`)]).toEqual(keys);
  });

  it('names nothing where it is empty or no table', () => {
    for (const text of ['', HEADER, 'x', `${HEADER}\n  garbage`]) expect(retransmitting(text).size).toBe(0);
  });
});

describe('a connection', () => {
  const sockets: Socket[] = [];
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  it.each(['127.0.0.1', '::1', '::'])('over %s is found in the kernel’s own table under its key', async (host) => {
    const server = createServer((socket) => sockets.push(socket)).listen(0, host);
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    sockets.push(connect(port, host === '::' ? '127.0.0.1' : host));
    const [socket] = await accepted;

    const [localPort = '', remote = ''] = (connectionKey(socket) ?? '').split(' ');
    const tables = await readTcpTables();
    expect(tables.join('\n')).toMatch(new RegExp(`: [0-9A-F]+:${localPort} ${remote} 01 `));
  });

  it('that is over has no key', () => {
    expect(connectionKey({})).toBeUndefined();
  });

  it('has the key of its address in any spelling of Node’s', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const key = connectionKey({ localPort: 1, remoteAddress: address, remotePort: 2 });
        expect(key).toMatch(/^0001 [0-9A-F]{32}:0002$/);
      }),
    );
    const mapped = connectionKey({ ...END, remoteAddress: '::ffff:127.0.0.2' });
    expect(mapped).toBe('1F90 0000000000000000FFFF00000200007F:A2C4');
  });
});
