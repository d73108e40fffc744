import { readFileSync } from 'node:fs';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** The metrics of one process; services register their own with it, under names that begin with `lg_`. */
export interface Metrics {
  readonly registry: Registry;
  /** Everything registered, in the text format that Prometheus scrapes. */
  expose(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** A registry of its own with what Node tells of the process (event-loop lag among it) and the build. */
export function createMetrics({ service }: { readonly service: string }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'lg_' });
  new Gauge({
    name: 'lg_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['service', 'version', 'node'],
    registers: [registry],
  }).set({ service, version: productVersion(), node: process.version }, 1);
  return {
    registry,
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** Says what `/readyz` says, whenever it is scraped. */
export function readyMetric({ registry }: Metrics, isReady: () => boolean): void {
  new Gauge({
    name: 'lg_ready',
    help: 'Whether load balancers should send requests here, as /readyz says.',
    registers: [registry],
    collect() {
      this.set(isReady() ? 1 : 0);
    },
  });
}

/** The version of this product, from the package's own manifest. */
export function productVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}
