export { background } from './background.ts';
export { type BrokerWatch, watchBroker } from './broker/metrics.ts';
export { type ConfigOptions, type ConfigSources, configOrExit, type LoadedConfig, loadConfig } from './config.ts';
export { type AuthConfig, authConfig, type IssuerConfig, SIGNATURE_ALGORITHMS, safeUrl } from './config-auth.ts';
export type { AuthorizerConfig, ClaimsConfig, RuleConfig } from './config-authorization.ts';
export { type BrokerConfig, brokerConfig } from './config-broker.ts';
export { helpText, settingsTable } from './config-docs.ts';
export {
  type AdminConfig,
  adminConfig,
  CONFIG_SECTIONS,
  type ListenConfig,
  type LogConfig,
  listenConfig,
  logConfig,
  type ServerConfig,
  type ServersConfig,
  serversConfig,
  type UpstreamConfig,
  upstreamConfig,
} from './config-fragments.ts';
export { originsConfig } from './config-origins.ts';
export { type AdminServerOptions, type Readiness, startAdminServer } from './http/admin-server.ts';
export { type Fetch, type HttpServer, type HttpServerOptions, startHttpServer } from './http/http-server.ts';
export { BROKEN_OFF, readBody, TOO_LARGE } from './http/read-body.ts';
export { createGuard, type Guard, type GuardOptions } from './http/request-guard.ts';
export { createLog, type Log, type LogOptions, type WriteLog } from './log.ts';
export { isLoopback } from './loopback.ts';
export { createMetrics, type Metrics, productVersion } from './metrics.ts';
export { retryAfter } from './retry-after.ts';
export { type RunningService, runService, type ServiceOptions, type ServiceSetting } from './run-service.ts';
export { onShutdown, type ShutdownOptions, type ShutdownStep } from './shutdown.ts';
export { systemClock } from './system-clock.ts';
export { contextOf, remoteSpan, requestContext, traceAfter, tracer } from './tracing/trace-span.ts';
