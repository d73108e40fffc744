import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHART, PREFIX, RELEASE, runHelm } from './chart.ts';
import { HELM_MS } from './helm-program.ts';
import { type KubernetesApi, openKubernetesApi } from './kubernetes-api.ts';

describe('a release in a cluster', { timeout: HELM_MS }, () => {
  let cluster: KubernetesApi;
  beforeEach(async () => {
    cluster = await openKubernetesApi();
  });
  afterEach(() => cluster.close());

  const helm = async (...args: readonly string[]): Promise<string> => {
    const where = ['--kube-apiserver', cluster.url, '--kube-token', 'x', '--namespace', 'mcp', '--timeout', '60s'];
    const { ok, stdout, stderr } = await runHelm(...args, ...where);
    if (!ok) throw new Error(stderr);
    return stdout;
  };
  // There is no description of every type to validate by; kubernetes-types does that elsewhere.
  const install = () => helm('install', RELEASE, CHART, '--disable-openapi-validation');
  const upgrade = (...args: readonly string[]) =>
    helm('upgrade', RELEASE, CHART, '--disable-openapi-validation', ...args);
  const replicasOf = (service: string) => cluster.find('Deployment', `${PREFIX}-${service}`).spec.replicas;

  it('is installed, and says what to do next', async () => {
    expect(await install()).toContain(`rollout status deployment/${PREFIX}-gateway`);
    expect([replicasOf('gateway'), replicasOf('publisher')]).toEqual([2, 2]);
  });

  it('keeps the pods that it has when an autoscaler takes over, and what the autoscaler made of them since', async () => {
    await install();
    await upgrade('--set', 'gateway.replicas=5');
    expect(replicasOf('gateway')).toBe(5);
    await upgrade('--set', 'autoscaling.enabled=true');
    expect(replicasOf('gateway')).toBe(5);
    cluster.scale(`${PREFIX}-gateway`, 9);
    await upgrade('--set', 'autoscaling.enabled=true,autoscaling.maxReplicas=30');
    expect(replicasOf('gateway')).toBe(9);
    expect(cluster.find('HorizontalPodAutoscaler', `${PREFIX}-gateway`).spec.maxReplicas).toBe(30);
  });

  it('is upgraded to other settings, which roll the pods', async () => {
    await install();
    const digest = () =>
      cluster.find('Deployment', `${PREFIX}-gateway`).spec.template.metadata.annotations['checksum/config'];
    const before = digest();
    await upgrade('--set', 'config.drain.windowMs=30000');
    expect(digest()).not.toBe(before);
    expect(cluster.find('ConfigMap', `${PREFIX}-config`).data['listen-gateway.yaml']).toContain('windowMs: 30000');
    expect(cluster.find('Deployment', `${PREFIX}-gateway`).spec.template.spec.terminationGracePeriodSeconds).toBe(60);
  });
});
