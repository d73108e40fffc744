import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

describe('the metrics of a process', () => {
  it('tell the build and the event-loop lag, all under lg_', async () => {
    const { contentType, text } = await createMetrics({ service: 'gateway' }).expose();
    expect(contentType).toContain('text/plain');
    expect(text).toMatch(/^lg_build_info\{service="gateway",version="\d+\.\d+\.\d+",node="v\d+/m);
    expect(text).toContain('lg_nodejs_eventloop_lag_seconds ');
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names.filter((name) => !name?.startsWith('lg_'))).toEqual([]);
  });

  it('are apart from those of another in the same process', () => {
    expect(createMetrics({ service: 'a' }).registry).not.toBe(createMetrics({ service: 'b' }).registry);
  });
});
