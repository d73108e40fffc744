import { once } from 'node:events';
import { connect } from 'node:net';
import { within } from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { OddBroker } from '../test/odd-broker.ts';
import { problem, TestPublisher, TOOLS } from '../test/test-publisher.ts';

let lab: TestPublisher | undefined;
afterEach(() => lab?.close());

describe('a publisher', () => {
  it('answers 503 with Retry-After where the broker takes nothing, and is not ready', async () => {
    lab = await new TestPublisher().start();
    expect(lab.publisher.readiness()).toEqual({ ready: true, reasons: [] });
    await lab.broker.close();
    const answer = await lab.post(TOOLS);
    expect(answer).toMatchObject(problem(503, 'broker-unavailable'));
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-5]$/);
    expect(lab.publisher.readiness()).toEqual({ ready: false, reasons: ['broker: the broker is closed'] });
    expect(await lab.metric('lg_changes_published_total{kind="tools"}')).toBe(0);
  });

  it('shows nothing of a failure but where its log has it', async () => {
    lab = await new TestPublisher(new OddBroker(() => Promise.reject(new Error('hush')))).start();
    const { status, headers, json } = await lab.post(TOOLS);
    expect({ status, json }).toMatchObject(problem(500, 'internal-error'));
    expect(JSON.stringify(json)).not.toContain('hush');
    const [line] = lab.logged.filter(({ level }) => level === 'error');
    expect(line).toMatchObject({ requestId: headers.get('X-Request-Id'), err: { message: 'hush' } });
  });

  it('answers what it has before it closes, and takes no more', async () => {
    const asked = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const broker = new OddBroker(() => {
      asked.resolve();
      return mayGoOn.promise;
    });
    lab = await new TestPublisher(broker).start();
    const answer = lab.post(TOOLS);
    await within(2_000, 'the publish', asked.promise);
    const closing = lab.publisher.close();
    expect(lab.publisher.readiness()).toEqual({ ready: false, reasons: ['closing'] });
    await expect(lab.post(TOOLS)).rejects.toThrow('fetch failed');
    mayGoOn.resolve();
    expect((await within(2_000, 'the answer', answer)).status).toBe(202);
    await within(2_000, 'the close', closing);
  });

  it('does not wait for ever for a body that stopped arriving', async () => {
    lab = await new TestPublisher().start();
    const socket = connect(Number(new URL(lab.publisher.url).port), '127.0.0.1');
    socket.write('POST /v1/servers/default/changes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n');
    socket.write('Content-Length: 100\r\n\r\n{');
    await once(socket, 'connect');
    await lab.post(TOOLS);
    const ended = once(socket, 'close');
    await within(6_000, 'the close', lab.publisher.close());
    await within(1_000, 'the end of the connection', ended);
  });
});
