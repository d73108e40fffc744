import { describe, expect, it } from 'vitest';
import { refusal, render, type Values } from './chart.ts';
import { HELM_MS } from './helm-program.ts';

const ISSUER = 'https://id.example.com';
const server = (acme: object): Values => ({ config: { servers: { acme } } });
const replacing = { url: 'http://acme', authorization: 'replace' };

/** What would be installed and not work, and what the chart says of it. */
const REFUSED: readonly (readonly [string, Values])[] = [
  ['config.drain.delayMs: 4999 is too little', { config: { drain: { delayMs: 4_999 } } }],
  ['broker: url and broker.existingSecret are both set', { broker: { url: 'redis://redis', existingSecret: 'redis' } }],
  ['config.broker.url: pods take the URL from a Secret instead', { config: { broker: { url: 'redis://redis' } } }],
  ['config.broker: a password would stand in a ConfigMap', { config: { broker: { password: 'secret' } } }],
  [
    'config.broker: a password would stand in a ConfigMap',
    { config: { broker: { sentinel: { password: 'secret' } } } },
  ],
  ['gateway.extraEnv: LG_CONFIG is set by the chart', { gateway: { extraEnv: [{ name: 'LG_CONFIG', value: '/x' }] } }],
  [
    'publisher.extraEnv: LG_BROKER__URL_FILE is set by the chart',
    { publisher: { extraEnv: [{ name: 'LG_BROKER__URL_FILE', value: '/x' }] } },
  ],
  [
    'gateway.extraEnv: LG_DRAIN__WINDOW_MS is something that the chart computes with',
    { gateway: { extraEnv: [{ name: 'LG_DRAIN__WINDOW_MS', value: '60000' }] } },
  ],
  [
    'gateway.extraEnv: LG_LIMITS__STREAMS_PER_INSTANCE_FILE is something that the chart computes with',
    { gateway: { extraEnv: [{ name: 'LG_LIMITS__STREAMS_PER_INSTANCE_FILE', value: '/x' }] } },
  ],
  [
    'publisher.extraEnv: LG_PUBLISHER__PORT is something that the chart computes with',
    { publisher: { extraEnv: [{ name: 'LG_PUBLISHER__PORT', value: '80' }] } },
  ],
  [
    'gateway.podLabels: app.kubernetes.io/component is what the Service selects by',
    { gateway: { podLabels: { 'app.kubernetes.io/component': 'web' } } },
  ],
  ['config.admin.port: 0 takes any free port', { config: { admin: { port: 0 } } }],
  [
    'gateway.resources.limits.memory: 512Mi is too little for 50000 streams; set at least 1254Mi',
    { config: { limits: { streamsPerInstance: 50_000 } } },
  ],
  [
    'gateway.resources.limits.memory: 1G is too little for 50000 streams',
    { config: { limits: { streamsPerInstance: 50_000 } }, gateway: { resources: { limits: { memory: '1G' } } } },
  ],
  ['gateway.resources.limits.memory: 1Gb has no known unit', { gateway: { resources: { limits: { memory: '1Gb' } } } }],
  [
    'config.servers.acme.auth.audience: is needed where config.http.publicUrl is not set',
    server({ auth: { issuer: ISSUER } }),
  ],
  ['config.servers.acme.upstream.credentialVariable: is needed', server({ upstream: replacing })],
  [
    'config.servers.acme.upstream.credentialVariable: names the variable ACME_TOKEN, which gateway.extraEnv does not have',
    server({ upstream: { ...replacing, credentialVariable: 'ACME_TOKEN' } }),
  ],
  [
    'config.servers.acme.auth.authorizer.credentialVariable: names the variable ACME_TOKEN',
    server({
      auth: { issuer: ISSUER, audience: 'x', authorizer: { url: 'http://acme', credentialVariable: 'ACME_TOKEN' } },
    }),
  ],
  [
    'config.servers.acme.auth.issuers.0.introspection.clientSecretVariable: names the variable ID_SECRET',
    server({
      auth: {
        audience: 'x',
        issuers: [
          { issuer: ISSUER, introspection: { url: ISSUER, clientId: 'gateway', clientSecretVariable: 'ID_SECRET' } },
        ],
      },
    }),
  ],
  ['two autoscalers would work against each other', { autoscaling: { enabled: true }, keda: { enabled: true } }],
  ['autoscaling: minReplicas 30 is more than maxReplicas 20', { autoscaling: { enabled: true, minReplicas: 30 } }],
  [
    'keda.streamsPerPod: when one of 2 pods is lost, the others need config.limits.streamsPerInstance of 22001, which is 16000',
    { keda: { enabled: true, streamsPerPod: 10_000 } },
  ],
];

describe('what could not work', { timeout: HELM_MS }, () => {
  it.each(REFUSED)('is refused with "%s"', async (problem, values) => {
    expect(await refusal(values)).toContain(problem);
  });

  it.each([
    [{ config: { drain: { delayMs: 5_000 } } }],
    [{ config: { limits: { streamsPerInstance: 50_000 } }, gateway: { resources: { limits: { memory: '1254Mi' } } } }],
    [
      {
        config: { limits: { streamsPerInstance: 50_000 } },
        gateway: { resources: { limits: { memory: 2_000_000_000 } } },
      },
    ],
    [{ config: { limits: { streamsPerInstance: 50_000 } }, gateway: { resources: { limits: { memory: null } } } }],
    [
      {
        ...server({ upstream: { ...replacing, credentialVariable: 'ACME_TOKEN' } }),
        gateway: { extraEnv: [{ name: 'ACME_TOKEN', valueFrom: { secretKeyRef: { name: 'acme', key: 'token' } } }] },
      },
    ],
    [
      {
        ...server({ auth: { issuer: ISSUER } }),
        gateway: { extraEnv: [{ name: 'LG_HTTP__PUBLIC_URL', value: 'https://mcp.example.com' }] },
      },
    ],
    [{ keda: { streamsPerPod: 10_000 } }],
    [{ autoscaling: { enabled: true, minReplicas: 8, streamsPerPod: 12_000 } }],
  ])('is not what is just enough: %j', async (values) => {
    await expect(render(values)).resolves.not.toEqual([]);
  });
});
