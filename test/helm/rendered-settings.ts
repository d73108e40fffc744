import type { GatewayConfig } from '@listen-gateway/service-gateway';
import { type Environment, gatewaySettings, settingProblems } from '../deploy/service-settings.ts';
import { find, type KubernetesObject, podOf } from './chart.ts';

const SERVICES = ['gateway', 'publisher'] as const;

/** The gateway's settings as they follow from what was rendered. */
export function gatewayOf(objects: readonly KubernetesObject[]): GatewayConfig {
  return gatewaySettings(environmentOf(objects, 'gateway'), fileOf(objects));
}

/** What keeps the services from their start. */
export function problemsOf(objects: readonly KubernetesObject[]): readonly string[] {
  return SERVICES.flatMap((service) => settingProblems(service, environmentOf(objects, service), fileOf(objects)));
}

function fileOf(objects: readonly KubernetesObject[]): string {
  return find(objects, 'ConfigMap').data['listen-gateway.yaml'];
}

/** What is in Secrets is a URL of Redis as far as this goes. */
function environmentOf(objects: readonly KubernetesObject[], service: (typeof SERVICES)[number]): Environment {
  const env = podOf(objects, service).container.env as readonly { readonly name: string; readonly value?: string }[];
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? 'redis://redis:6379']));
}
