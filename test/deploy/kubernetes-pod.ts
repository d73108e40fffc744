import { posix } from 'node:path';
import type { Manifest, PodSpec } from './manifests.ts';
import type { Environment } from './service-settings.ts';

/** What is in the cluster beside what was rendered: of each Secret and ConfigMap its members. */
export type Present = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the process in a pod finds when it starts. */
export interface PodContent {
  readonly env: Environment;
  /** Files by their path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Resolves a pod's references as the kubelet would; throws where one leads nowhere, as the pod would wait for ever. */
export function podContent(
  { containers: [container], volumes = [] }: PodSpec,
  rendered: readonly Manifest[],
  present: Present = {},
): PodContent {
  const members = membersOf(rendered, present);
  const value = (name: string, key: string) => {
    const found = members(name)[key];
    if (found === undefined) throw new Error(`${name} has no member ${key}`);
    return found;
  };
  const env = (container.env ?? []).map((one) => {
    const ref = one.valueFrom?.secretKeyRef;
    return [one.name, ref === undefined ? (one.value ?? '') : value(ref.name, ref.key)] as const;
  });
  const files = (container.volumeMounts ?? []).flatMap(({ name, mountPath }) => {
    const volume = volumes.find((one) => one.name === name);
    const source = volume?.configMap?.name ?? volume?.secret?.secretName;
    if (source === undefined) throw new Error(`there is no volume ${name}`);
    return Object.entries(members(source)).map(([file, text]) => [posix.join(mountPath, file), text] as const);
  });
  return { env: Object.fromEntries(env), files: new Map(files) };
}

/** The file that `LG_CONFIG` names. */
export function configFileOf({ env, files }: PodContent): string {
  const text = files.get(env.LG_CONFIG ?? '');
  if (text === undefined) throw new Error(`there is no file ${env.LG_CONFIG}`);
  return text;
}

function membersOf(
  rendered: readonly Manifest[],
  present: Present,
): (name: string) => Readonly<Record<string, string>> {
  return (name) => {
    const object = rendered.find((one) => /^(ConfigMap|Secret)$/.test(one.kind) && one.metadata.name === name);
    if (object === undefined) {
      const found = present[name];
      if (found === undefined) throw new Error(`there is no ConfigMap or Secret ${name}`);
      return found;
    }
    const entries = Object.entries(object.data ?? {});
    if (object.kind === 'ConfigMap') return Object.fromEntries(entries);
    return Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
  };
}
