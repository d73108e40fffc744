import { createHash } from 'node:crypto';
import { freePort, openListen, type ServiceProcess, startService } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('the standalone process with keys for publishers', () => {
  const key = 'lgp_of-this-test';
  let standalone: ServiceProcess;
  let publisherUrl: string;
  let sampleUrl: string;

  beforeAll(async () => {
    const [publisherPort, samplePort] = [await freePort(), await freePort()];
    const sha256 = createHash('sha256').update(key).digest('hex');
    standalone = await startService('standalone', {
      LG_PUBLISHER__PORT: String(publisherPort),
      LG_PUBLISHER__AUTH__KEYS: JSON.stringify([{ id: 'test', sha256 }]),
      LG_SAMPLE__PORT: String(samplePort),
    });
    publisherUrl = `http://127.0.0.1:${publisherPort}/v1/servers/default/changes`;
    sampleUrl = `http://127.0.0.1:${samplePort}/mcp`;
  });
  afterAll(() => standalone.kill());

  it('lets in who has one, and its own sample server', async () => {
    const stream = await openListen(`${standalone.url}/mcp`);
    await stream.next('the acknowledgement');
    const publish = (authorization: Record<string, string>) =>
      fetch(publisherUrl, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...authorization },
        body: '{"method":"notifications/tools/list_changed"}',
      });
    expect((await publish({})).status).toBe(401);
    expect((await publish({ Authorization: `Bearer ${key}` })).status).toBe(202);
    await stream.next('the change of the test');

    await fetch(sampleUrl, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'add_tool',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'add_tool',
          arguments: { name: 'deploy' },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    await stream.next('the change of the sample server');
    stream.close();
    const publishers = standalone.log
      .filter(({ msg }) => msg === 'changes published')
      .map(({ publisher }) => publisher);
    expect(publishers).toEqual(['key:test', 'key:standalone-sample']);
    expect(standalone.output).not.toContain(key);
  });
});
