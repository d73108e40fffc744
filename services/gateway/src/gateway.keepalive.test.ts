import { eventually, ManualClock, parseFrames } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { openGateway } from '../test/test-gateway.ts';

describe('an idle stream', () => {
  it('is kept alive by one comment in each period, and by nothing that a host would take for a message (P-2.10, INS-02, FIELD C6, C11)', async () => {
    const clock = new ManualClock(1_000);
    const gateway = await openGateway({}, { clock });
    const streams = [await gateway.open(), await gateway.open(), await gateway.open()];
    for (let period = 1; period <= 3; period += 1) {
      clock.advance(15_000);
      for (const stream of streams) await eventually(5_000, 'the keepalive', () => stream.comments === period);
    }
    for (const stream of streams) {
      const [acknowledgement, ...keepalives] = parseFrames(stream.text);
      expect(acknowledgement?.data).toContain('acknowledged');
      expect(keepalives).toEqual(Array(3).fill({ event: 'message', data: undefined, comments: [''] }));
    }
  });

  it('is kept alive at the period that is configured, on a clock that runs (INS-02, FIELD C6, C11)', async () => {
    const gateway = await openGateway({ stream: { keepaliveMs: 100 } });
    const stream = await gateway.open();
    await eventually(5_000, 'ten keepalives', () => stream.comments >= 10);
    expect(stream.messages).toHaveLength(1);
  });
});
