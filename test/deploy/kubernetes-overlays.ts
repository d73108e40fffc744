import { configFileOf, type PodContent, type Present, podContent } from './kubernetes-pod.ts';
import { type Manifest, podOf, renderManifests } from './manifests.ts';

/** An overlay as it ships, with what its operator has put into the cluster. */
export interface Overlay {
  readonly folder: string;
  readonly manifests: readonly Manifest[];
  /** What the process in the pod of a Deployment finds. */
  contentOf(deployment: string): PodContent;
  /** The configuration file among it. */
  configOf(deployment: string): string;
}

/** What the head of overlays/production says to put into the cluster. */
export const PRODUCTION_PRESENT: Present = {
  broker: {
    gateway: 'rediss://gateway:a@redis.example.com:6379',
    publisher: 'rediss://publisher:b@redis.example.com:6379',
  },
  'redis-ca': { 'ca.crt': '' },
  'publisher-keys': { 'keys.yaml': '' },
};

/** Renders an overlay. */
export async function openOverlay(folder: string, present: Present = {}): Promise<Overlay> {
  const manifests = await renderManifests(`overlays/${folder}`);
  const contentOf = (deployment: string) => podContent(podOf(manifests, deployment), manifests, present);
  return { folder, manifests, contentOf, configOf: (deployment) => configFileOf(contentOf(deployment)) };
}
