import { describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { asksForTraces, startTracing } from './tracing.ts';

describe('the environment', () => {
  it.each([
    { OTEL_TRACES_EXPORTER: 'otlp' },
    { OTEL_TRACES_EXPORTER: 'console, otlp' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_EXPORTER: '', OTEL_SDK_DISABLED: 'false' },
  ])('asks for spans by %j', (env) => expect(asksForTraces(env)).toBe(true));

  it.each([
    {},
    { OTEL_SERVICE_NAME: 'gateway', OTEL_TRACES_SAMPLER: 'always_on' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
    { OTEL_TRACES_EXPORTER: 'otlp,none' },
    { OTEL_TRACES_EXPORTER: ' ', OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318' },
    { OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'TRUE' },
  ])('asks for none by %j', async (env) => {
    expect(asksForTraces(env)).toBe(false);
    const log = createLog({ level: 'fatal', pretty: false });
    expect(await startTracing({ env, program: 'gateway', log })).toBeUndefined();
  });
});
