import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { newApiKey } from '@listen-gateway/service-publisher';
import {
  INSTALL_MS,
  makeRedisCertificates,
  openListen,
  openRedisProcess,
  type RedisProcess,
  type ServiceProcess,
  startService,
  TestIssuer,
} from '@listen-gateway/testkit';
import type { IHorizontalPodAutoscalerSpec } from 'kubernetes-models/autoscaling/v2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { openOverlay, PRODUCTION_PRESENT } from './kubernetes-overlays.ts';
import { type Present, podContent } from './kubernetes-pod.ts';
import { findManifest, podOf, renderManifests } from './manifests.ts';
import { readShipped } from './repository.ts';
import { gatewaySettings, settingProblems } from './service-settings.ts';

const manifests = await renderManifests('overlays/production');
const overlay = await openOverlay('production', PRODUCTION_PRESENT);
const SERVICES = ['gateway', 'publisher'] as const;

describe('the production overlay', () => {
  it('holds no secret, and names those that its head tells how to make', () => {
    expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
    const told = readShipped('k8s/overlays/production/kustomization.yaml').matchAll(
      /create (?:secret generic|configmap) ([\w-]+)|--from-literal=(\w+)|--from-file=([\w.]+)/g,
    );
    expect(Array.from(told, ([, object, literal, file]) => object ?? literal ?? file)).toEqual(
      Object.entries(PRODUCTION_PRESENT).flatMap(([name, members]) => [name, ...Object.keys(members)]),
    );
    for (const service of SERVICES) {
      for (const missing of service === 'gateway' ? ['broker', 'redis-ca'] : Object.keys(PRODUCTION_PRESENT)) {
        const { [missing]: _, ...present } = PRODUCTION_PRESENT;
        expect(() => podContent(podOf(manifests, service), manifests, present)).toThrow(missing);
      }
    }
  });

  it('lets nobody in unasked: without its authentication neither service would start', () => {
    for (const service of SERVICES) {
      const { env } = overlay.contentOf(service);
      expect(Object.keys(env).filter((name) => name.includes('EXPOSE'))).toEqual([]);
      const open = overlay.configOf(service).replaceAll(/^ +auth: .*$/gm, '');
      expect(settingProblems(service, env, open)).toEqual([expect.stringContaining('xposeWithoutAuthentication')]);
    }
  });

  it('leaves nothing of somebody else in place: every address in it is a placeholder', () => {
    const addresses = JSON.stringify(manifests.filter(({ kind }) => kind !== 'PrometheusRule')).match(
      /\b[\w.-]+\.(com|net|org|io|dev|example)\b(?=[:/"\\\s\]])|\/\/[\w.-]+/g,
    );
    const places = (addresses ?? []).filter((place) => !/\.k8s\.io|kubernetes\.io|monitoring\.coreos\.com/.test(place));
    expect(places.length).toBeGreaterThan(4);
    for (const place of places) expect(place).toContain('example');
  });

  it('has three and more of each, one of which may be away', () => {
    const { spec } = findManifest<IHorizontalPodAutoscalerSpec>(manifests, 'HorizontalPodAutoscaler', 'gateway');
    expect(spec.minReplicas).toBeGreaterThanOrEqual(3);
    expect(findManifest(manifests, 'Deployment', 'publisher').spec.replicas).toBeGreaterThanOrEqual(3);
  });

  it('insists on zones, and not on nodes, which may have no room', () => {
    for (const service of SERVICES) {
      const spread = podOf(manifests, service).topologySpreadConstraints ?? [];
      expect(Object.fromEntries(spread.map((one) => [one.topologyKey, one.whenUnsatisfiable]))).toEqual({
        'topology.kubernetes.io/zone': 'DoNotSchedule',
        'kubernetes.io/hostname': 'ScheduleAnyway',
      });
    }
  });

  it('gives its pods a priority that exists and pushes nobody out', () => {
    for (const service of SERVICES) expect(podOf(manifests, service).priorityClassName).toBe('listen-gateway');
    const found = findManifest(manifests, 'PriorityClass', 'listen-gateway');
    expect(found).toMatchObject({ preemptionPolicy: 'Never', value: expect.any(Number) });
  });
});

describe('a fleet started from the production overlay', { timeout: 120_000 }, () => {
  const HOST = 'mcp.example.com';
  const { key, sha256 } = newApiKey();
  const dir = mkdtempSync(join(tmpdir(), 'listen-gateway-production-'));
  const opened: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })];
  let issuer: TestIssuer;
  let gateway: ServiceProcess;
  let publisher: ServiceProcess;

  /** Starts a service on what its pod finds, its files beneath a folder and the placeholders replaced by what there is here. */
  async function startPod(service: (typeof SERVICES)[number], present: Present): Promise<ServiceProcess> {
    const { env, files } = podContent(podOf(manifests, service), manifests, present);
    const here = (text: string) =>
      text
        .replaceAll(/\/etc\/(?=[\w-]+\/)/g, `${join(dir, service)}/etc/`)
        .replaceAll('https://id.example.com', issuer.issuer);
    for (const [path, text] of files) {
      mkdirSync(dirname(join(dir, service, path)), { recursive: true });
      writeFileSync(join(dir, service, path), here(text));
    }
    const started = await startService(
      service,
      Object.fromEntries(Object.entries(env).map(([name, value]) => [name, here(value)])),
    );
    opened.push(() => started.kill());
    return started;
  }

  beforeAll(async () => {
    const certificates = await makeRedisCertificates();
    opened.push(() => certificates.close());
    const redis = await openRedisProcess({ tls: certificates, args: ['--tls-auth-clients', 'no'] });
    opened.push(() => redis.close());
    await setUsers(redis);
    issuer = await TestIssuer.start();
    opened.push(() => issuer.close());
    const present = {
      broker: Object.fromEntries(SERVICES.map((user) => [user, redis.tlsUrl.replace('//', `//${user}:secret@`)])),
      'redis-ca': { 'ca.crt': readFileSync(certificates.caFile, 'utf8') },
      'publisher-keys': { 'keys.yaml': stringify([{ id: 'example', sha256 }]) },
    };
    [gateway, publisher] = await Promise.all([startPod('gateway', present), startPod('publisher', present)]);
  }, INSTALL_MS);
  afterAll(async () => {
    for (const close of opened.reverse()) await close();
  });

  const publish = (authorization: string) =>
    fetch(`${publisher.url}/v1/servers/example-server/changes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: authorization },
      body: JSON.stringify({ method: 'notifications/tools/list_changed' }),
    });

  it('tells a host with a token what a backend with a key has changed, over a Redis with TLS and users', async () => {
    const token = await issuer.sign({ aud: `https://${HOST}/mcp/example-server`, scope: 'mcp:listen' });
    const headers = { Host: HOST, Authorization: `Bearer ${token}` };
    const stream = await openListen(`${gateway.url}/mcp/example-server`, { headers });
    expect(stream.status, stream.text).toBe(200);
    expect((await stream.next()).method).toContain('acknowledged');
    expect((await publish(`Bearer ${key}`)).status).toBe(202);
    expect((await stream.next()).method).toBe('notifications/tools/list_changed');
    stream.close();
  });

  it('shows the metric that the autoscaler goes by', async () => {
    const { spec } = findManifest<IHorizontalPodAutoscalerSpec>(manifests, 'HorizontalPodAutoscaler', 'gateway');
    expect(await gateway.metric(spec.metrics?.[0]?.pods?.metric.name ?? '')).toBeGreaterThanOrEqual(0);
  });

  it('asks whoever has neither who they are, and hosts where they get a token', async () => {
    const answer = await openListen(`${gateway.url}/mcp/example-server`, { headers: { Host: HOST } });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain(`https://${HOST}/.well-known/oauth-protected-resource`);
    expect((await publish('Bearer lgp_made_up')).status).toBe(401);
  });

  it('is asked for by its public name alone (P-2.9)', async () => {
    const { http } = gatewaySettings(overlay.contentOf('gateway').env, overlay.configOf('gateway'));
    expect(http.allowedHosts).toEqual([HOST]);
    expect((await openListen(`${gateway.url}/mcp/example-server`)).status).toBe(403);
  });
});

/** Gives Redis the users of docs/redis.md, as the page has them. */
async function setUsers(redis: RedisProcess): Promise<void> {
  const lines = readShipped('docs/redis.md').matchAll(/^ACL (SETUSER (?:gateway|publisher) .*)$/gm);
  for (const [, line = ''] of lines) await redis.cli('ACL', ...line.split(' '));
}
