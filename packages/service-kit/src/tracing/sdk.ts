import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import {
  defaultResource,
  envDetector,
  hostDetector,
  osDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { Log, WriteLog } from '../log.ts';
import { productVersion } from '../metrics.ts';
import type { TracingOptions } from './tracing.ts';

/** Not the detector of processes, unless it is asked for: it sends the command line away, which may have secrets as flags. */
const DETECTORS = [serviceInstanceIdDetector, hostDetector, osDetector, envDetector];

/**
 * Starts the SDK, which reads its own variables: exporter, endpoint, headers, sampler, batches, limits. Answers with what
 * exports the last spans and ends it. Metrics are Prometheus' and logs standard output's, whatever the variables say.
 */
export function startSdk({ env, program, log }: TracingOptions): () => Promise<void> {
  diag.setLogger(diagnosisOn(log), { logLevel: levelOf(env.OTEL_LOG_LEVEL), suppressOverrideMessage: true });
  const service = {
    'service.namespace': 'listen-gateway',
    'service.name': program,
    'service.version': productVersion(),
  };
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resourceFromAttributes(service)),
    ...(!env.OTEL_NODE_RESOURCE_DETECTORS && { resourceDetectors: DETECTORS }),
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
    textMapPropagator: null,
  });
  sdk.start();
  return () => sdk.shutdown();
}

function levelOf(name = ''): DiagLogLevel {
  const level: unknown = DiagLogLevel[name.trim().toUpperCase() as keyof typeof DiagLogLevel];
  return typeof level === 'number' ? level : DiagLogLevel.WARN;
}

/** What OpenTelemetry has to say of itself goes where everything else goes; what is let through was asked for. */
function diagnosisOn(log: Log): DiagLogger {
  const at =
    (write: WriteLog) =>
    (why: string): void =>
      write({ why }, 'OpenTelemetry');
  return {
    error: at(log.warn),
    warn: at(log.warn),
    info: at(log.info),
    debug: at(log.info),
    verbose: at(log.info),
  };
}
