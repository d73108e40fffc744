import { type GatewayConfig, gatewayConfig } from '@listen-gateway/service-gateway';
import { CONFIG_SECTIONS, type LoadedConfig, loadConfig } from '@listen-gateway/service-kit';
import { publisherConfig } from '@listen-gateway/service-publisher';
import { standaloneConfig } from '@listen-gateway/service-standalone';
import { readShipped } from './repository.ts';

export type Environment = Readonly<Record<string, string>>;

const SCHEMAS = { gateway: gatewayConfig, publisher: publisherConfig, standalone: standaloneConfig };

/** The services whose settings are read here; the sample server shows in the containers that it takes its own. */
export const SERVICES = Object.keys(SCHEMAS) as readonly (keyof typeof SCHEMAS)[];

/** What is wrong with an environment, as the service itself would say before it opens anything. */
export function settingProblems(service: keyof typeof SCHEMAS, env: Environment, file = ''): readonly string[] {
  const loaded = load(service, env, file);
  return loaded.ok ? [] : loaded.problems;
}

/** The gateway's configuration as it follows from an environment and the file that `LG_CONFIG` names. */
export function gatewaySettings(env: Environment, file = ''): GatewayConfig {
  const loaded = load('gateway', env, file);
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config as GatewayConfig;
}

/** What lets anybody in, for fleets that are only to be tried out. */
export const EXPOSED: Environment = {
  LG_HTTP__EXPOSE_WITHOUT_AUTHENTICATION: 'true',
  LG_PUBLISHER__EXPOSE_WITHOUT_AUTHENTICATION: 'true',
};

/** The environment that the image sets for every service. */
export function imageEnvironment(): Environment {
  const lines = readShipped('deploy/Dockerfile').matchAll(/^(?:ENV| {3}) (LG_\w+)=(\S+)/gm);
  return Object.fromEntries(Array.from(lines, ([, name, value]) => [name, value]));
}

/** Between the signal and an exit lie the steps around the drain too: the sockets, the broker, the log. */
const AROUND_THE_DRAIN_MS = 5_000;

/** How long a gateway may take from SIGTERM to its exit; who kills it earlier cuts streams that were promised an end. */
export function longestShutdownMs({ drain }: Pick<GatewayConfig, 'drain'>): number {
  // Once for hosts to read the end of their streams, and once for requests that are being forwarded then.
  return drain.delayMs + drain.windowMs + 2 * drain.graceMs + AROUND_THE_DRAIN_MS;
}

function load(service: keyof typeof SCHEMAS, env: Environment, file: string): LoadedConfig<unknown> {
  const sources = { argv: [], env: { ...imageEnvironment(), ...env }, readFile: () => file };
  return loadConfig(SCHEMAS[service], sources, { otherSections: CONFIG_SECTIONS });
}
