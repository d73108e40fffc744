import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import type { IHorizontalPodAutoscalerBehavior, IHorizontalPodAutoscalerSpec } from 'kubernetes-models/autoscaling/v2';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PRODUCTION_PRESENT } from './kubernetes-overlays.ts';
import { configFileOf, podContent } from './kubernetes-pod.ts';
import { findManifest, type Manifest, podOf, renderComponents, renderManifests } from './manifests.ts';
import { readShipped } from './repository.ts';
import { EXPOSED, gatewaySettings } from './service-settings.ts';

/** What both kinds of autoscaler say, in one shape. */
interface Scaling {
  readonly target: { readonly kind?: string | undefined; readonly name?: string | undefined };
  readonly least: number;
  readonly most: number;
  readonly streamsPerInstance: number;
  readonly behavior: IHorizontalPodAutoscalerBehavior;
}

const hpa = (manifests: readonly Manifest[]): Scaling => {
  const { spec } = findManifest<IHorizontalPodAutoscalerSpec>(manifests, 'HorizontalPodAutoscaler', 'gateway');
  const [metric, ...others] = spec.metrics ?? [];
  expect([metric?.type, metric?.pods?.metric.name, metric?.pods?.target.type]).toEqual([
    'Pods',
    'lg_streams_open',
    'AverageValue',
  ]);
  expect(others).toEqual([]);
  return {
    target: spec.scaleTargetRef,
    least: spec.minReplicas ?? 1,
    most: spec.maxReplicas,
    streamsPerInstance: Number(metric?.pods?.target.averageValue),
    behavior: spec.behavior ?? {},
  };
};

const scaledObject = (manifests: readonly Manifest[]) =>
  findManifest<NonNullable<IScaledObject['spec']>>(manifests, 'ScaledObject', 'gateway').spec;
const keda = (manifests: readonly Manifest[]): Scaling => {
  const spec = scaledObject(manifests);
  return {
    target: spec.scaleTargetRef,
    least: spec.minReplicaCount ?? 0,
    most: spec.maxReplicaCount ?? 100,
    streamsPerInstance: Number(spec.triggers[0]?.metadata?.threshold),
    behavior: (spec.advanced?.horizontalPodAutoscalerConfig?.behavior ?? {}) as IHorizontalPodAutoscalerBehavior,
  };
};

const component = await renderComponents('autoscaling');
const byKeda = await renderComponents('keda');
const production = await renderManifests('overlays/production');

const settingsOf = (manifests: readonly Manifest[]) => {
  const present = { ...PRODUCTION_PRESENT, broker: { ...PRODUCTION_PRESENT.broker, url: 'redis://redis:6379' } };
  const content = podContent(podOf(manifests, 'gateway'), manifests, present);
  return gatewaySettings({ ...EXPOSED, ...content.env }, configFileOf(content));
};

/** The autoscaler leaves things as they are while they are within a tenth of the target. */
const TOLERANCE = 1.1;
/** Streams that an instance holds when one of the fewest has gone and the others have taken its streams. */
const afterLoss = ({ streamsPerInstance, least }: Scaling) => (streamsPerInstance * TOLERANCE * least) / (least - 1);

describe.each([
  ['the autoscaling component', component, hpa],
  ['the KEDA component', byKeda, keda],
  ['the production overlay', production, hpa],
])('the autoscaler of %s', (_, manifests, read) => {
  const scaling = read(manifests);
  const { limits } = settingsOf(manifests);
  const { terminationGracePeriodSeconds: graceS = 30 } = podOf(manifests, 'gateway');
  const { scaleUp, scaleDown } = scaling.behavior;
  const pauseS = scaleDown?.policies?.[0]?.periodSeconds ?? 0;

  it('scales the Deployment of the gateway, which leaves the number to it', () => {
    expect(scaling.target).toMatchObject({ kind: 'Deployment', name: 'gateway' });
    expect(findManifest(manifests, 'Deployment', 'gateway').spec.replicas).toBeUndefined();
    expect(findManifest(manifests, 'Deployment', 'publisher').spec.replicas).toBeGreaterThanOrEqual(2);
  });

  it('starts instances while those that are there could still take the streams of one that is lost', () => {
    expect(scaling.least).toBeGreaterThanOrEqual(2);
    expect(scaling.most).toBeGreaterThan(scaling.least);
    expect(afterLoss(scaling)).toBeLessThanOrEqual(limits.streamsPerInstance);
    expect(
      afterLoss({ ...scaling, streamsPerInstance: scaling.streamsPerInstance * 1.1 }),
      'a tenth more would not do',
    ).toBeGreaterThan(limits.streamsPerInstance);
  });

  it('starts them at once, and as many again within a minute', () => {
    expect(scaleUp?.stabilizationWindowSeconds).toBe(0);
    expect(scaleUp?.policies).toContainEqual({ type: 'Percent', value: 100, periodSeconds: 60 });
    expect(scaleUp?.selectPolicy).toBe('Max');
  });

  it('takes one away at a time, and the next not before the drain of the one before is long over (P-1.8)', () => {
    expect(scaleDown?.policies).toEqual([{ type: 'Pods', value: 1, periodSeconds: pauseS }]);
    expect(pauseS).toBeGreaterThanOrEqual(10 * graceS);
    // What Kubernetes takes at most.
    expect(pauseS).toBeLessThanOrEqual(1_800);
  });

  it('costs a host fewer re-opens in an hour, with a rollout among them, than make it stay away (P-5)', () => {
    expect(3_600 / pauseS + 1).toBeLessThan(5);
  });

  it('takes none away for a dip, or for the instances that are there twice in a rollout', () => {
    expect(scaleDown?.stabilizationWindowSeconds).toBeGreaterThanOrEqual(10 * graceS);
    expect(scaleDown?.stabilizationWindowSeconds).toBeLessThanOrEqual(3_600);
  });
});

describe('KEDA', () => {
  const spec = scaledObject(byKeda);
  const [trigger] = spec.triggers;

  it('does what the autoscaling component does', () => {
    const { target, ...same } = hpa(component);
    expect(keda(byKeda)).toMatchObject(same);
  });

  it('counts the streams of its own namespace by the job that the PodMonitor makes of them', () => {
    expect(trigger?.metadata?.query).toBe('sum(lg_streams_open{namespace="listen-gateway",job="gateway"})');
    expect(trigger?.metricType).toBe('AverageValue');
    expect(findManifest(byKeda, 'ScaledObject', 'gateway').metadata.namespace).toBe('listen-gateway');
  });

  it('ends no stream because Prometheus does not answer, or because it leaves', () => {
    expect(trigger?.metadata?.ignoreNullValues).toBe('false');
    expect(spec.fallback).toMatchObject({ behavior: 'currentReplicasIfHigher', replicas: spec.minReplicaCount });
    expect(spec.advanced?.restoreToOriginalReplicaCount).toBe(false);
  });
});

describe('the rule for prometheus-adapter in docs/kubernetes.md', () => {
  const blocks = Array.from(readShipped('docs/kubernetes.md').matchAll(/```yaml\n([\s\S]*?)```/g), ([, text = '']) =>
    parse(text),
  );
  const [rule] = blocks.flatMap((block) => block?.rules?.custom ?? []);

  it('serves the metric that the autoscaler asks for, by namespace and pod', () => {
    expect(rule.seriesQuery).toBe('lg_streams_open{job="gateway",namespace!="",pod!=""}');
    expect(rule.resources.overrides).toEqual({ namespace: { resource: 'namespace' }, pod: { resource: 'pod' } });
    expect(rule.metricsQuery).toBe('sum by (<<.GroupBy>>) (<<.Series>>{<<.LabelMatchers>>})');
  });
});
