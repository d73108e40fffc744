import { join } from 'node:path';
import { INSTALL_MS } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { CHART, find, type KubernetesObject, render, type Values } from './chart.ts';
import { renderBase, renderOverlay } from './kustomization.ts';
import { fromHelm, fromKustomize, withoutOrder } from './normalized.ts';

/** What a value switches on, and the component of k8s that it stands for. */
const COMPONENTS: readonly (readonly [value: string, component: string])[] = [
  ['autoscaling', 'autoscaling'],
  ['keda', 'keda'],
  ['networkPolicy', 'network-policy'],
  ['ingress', 'ingress-nginx'],
  ['httpRoute', 'gateway-api'],
];

const enable = (...values: readonly string[]): Values =>
  Object.fromEntries(values.map((value) => [value, { enabled: true }]));
/** The namespace that the components name where they must name one. */
const NAMESPACE = ['--namespace', 'listen-gateway'];

describe('the chart', { timeout: INSTALL_MS }, () => {
  it('makes of its default values what k8s/base makes', async () => {
    expect(fromHelm(await render({}))).toEqual(fromKustomize(await renderBase()));
  });

  it('would be found to differ by anything that a pod may have', async () => {
    const changed: KubernetesObject = structuredClone(find(await render({}), 'Deployment', 'publisher'));
    changed.spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem = false;
    const base = fromKustomize(await renderBase());
    expect(base.filter(({ kind }) => kind === 'Deployment')).not.toContainEqual(fromHelm([changed])[0]);
  });

  it.each(COMPONENTS)('makes with %s enabled what the base makes with the component %s', async (value, component) => {
    expect(fromHelm(await render(enable(value), NAMESPACE))).toEqual(fromKustomize(await renderBase([component])));
  });

  it('makes with podMonitor and prometheusRule enabled what the base makes with the component prometheus-operator', async () => {
    const objects = await render(enable('podMonitor', 'prometheusRule'));
    expect(fromHelm(objects)).toEqual(fromKustomize(await renderBase(['prometheus-operator'])));
    const monitored = await render(enable('podMonitor'));
    expect(monitored.map(({ kind }) => kind)).not.toContain('PrometheusRule');
    const ruled = await render(enable('prometheusRule'));
    expect(ruled.map(({ kind }) => kind)).not.toContain('PodMonitor');
  });

  it('makes with everything that goes together enabled what the base makes with all those components', async () => {
    const together = COMPONENTS.filter(([value]) => value !== 'autoscaling');
    const values = enable('podMonitor', 'prometheusRule', ...together.map(([value]) => value));
    const components = ['prometheus-operator', ...together.map(([, component]) => component)];
    expect(fromHelm(await render(values, NAMESPACE))).toEqual(fromKustomize(await renderBase(components)));
  });

  it('makes of ci/production-values.yaml what k8s/overlays/production makes, beside the namespace and its priority class', async () => {
    const objects = await render({}, [...NAMESPACE, '--values', join(CHART, 'ci', 'production-values.yaml')]);
    const overlay = (await renderOverlay('production'))
      .filter(({ kind }) => kind !== 'Namespace' && kind !== 'PriorityClass')
      .map(({ metadata: { namespace, ...metadata }, ...rest }) => {
        expect(namespace).toBe('listen-gateway');
        return { ...rest, metadata } as KubernetesObject;
      });
    expect(withoutOrder(fromHelm(objects))).toEqual(withoutOrder(fromKustomize(overlay)));
  });
});
