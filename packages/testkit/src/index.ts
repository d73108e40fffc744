export { type BrokerTraits, brokerContract, type OpenBroker } from './broker-contract.ts';
export { openCaddy } from './caddy-process.ts';
export { cureSentinel, deafenSentinel } from './deaf-sentinel.ts';
export { ensureProgram, INSTALL_MS } from './ensure-program.ts';
export { freePort } from './free-port.ts';
export { type FrontCertificate, makeFrontCertificate } from './front-certificate.ts';
export type { FrontProcess } from './front-process.ts';
export { openHaproxy } from './haproxy-process.ts';
export { HeldBroker } from './held-broker.ts';
export { renderKustomization } from './kustomize.ts';
export {
  type Ending,
  LISTEN_HEADERS,
  ListenAnswer,
  type ListenOptions,
  listenBody,
  openListen,
  type RpcMessage,
} from './listen-client.ts';
export { ManualClock } from './manual-clock.ts';
export { type NginxProcess, openNginx, openNginxFront } from './nginx-process.ts';
export { openWhole } from './open-all.ts';
export { RecordingListener } from './recording-listener.ts';
export { RecordingObserver } from './recording-observer.ts';
export { RecordingSink, recordingSinks } from './recording-sink.ts';
export { makeRedisCertificates, type RedisCertificates } from './redis-certificates.ts';
export { killRedisClients, type RedisClient, redisClients } from './redis-clients.ts';
export { openRedisCluster, RedisCluster, type RedisClusterOptions } from './redis-cluster.ts';
export { openRedis, openRedisProcess, type Redis, RedisProcess, type RedisProcessOptions } from './redis-process.ts';
export { ensureRedis, REDIS_PROGRAMS, type RedisProgram } from './redis-program.ts';
export { openRedisReplica } from './redis-replica.ts';
export { openRedisSentinels, RedisSentinels, type RedisSentinelsOptions } from './redis-sentinels.ts';
export { freshServerId, numbered, numberedUris } from './sample-changes.ts';
export { type ServiceAddress, type ServiceName, ServiceProcess, startService } from './service-process.ts';
export { parseFrames, type SseFrame } from './sse-frames.ts';
export { openTcpRelay, type TcpRelay } from './tcp-relay.ts';
export {
  ALL_CAPABILITIES,
  type Asked,
  type ListenSketch,
  TEST_SERVER,
  TEST_SERVER_INFO,
  TestInstance,
} from './test-instance.ts';
export { type IssuerAnswer, type IssuerKey, makeKey, TestIssuer, type TestIssuerOptions } from './test-issuer.ts';
export { eventually, within } from './within.ts';
