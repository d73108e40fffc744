import { openCaddy } from '@listen-gateway/testkit';
import { readShipped } from '../deploy/repository.ts';
import { type Balancer, backendAddresses, type Site, substitute, type Variant } from './balancer.ts';

/** Caddy, with health checks against the admin ports. */
export const caddy: Balancer = {
  name: 'Caddy',
  open: (variant, site) => openCaddy(site.port, caddyfile(variant, site)),
  // Up to 2.11.1 it loses the body of a request by the first attempt, and has nothing to try again with.
  triesOnce: true,
  // Listens and other requests have health checks of their own.
  hasNoticed: ({ output }) => output.split('status code out of tolerances').length > 2,
};

export function caddyfile(variant: Variant, site: Site): string {
  const { certFile, keyFile } = site.certificate;
  return substitute(readShipped(`deploy/caddy/${variant}.Caddyfile`), [
    // Under a public name Caddy fetches a certificate; the test's stands in for that.
    ['mcp.example.com {', `https://127.0.0.1:${site.port} {\n\ttls ${certFile} ${keyFile}\n\tbind 127.0.0.1`],
    ['health_port 9090', `health_port ${site.gateways.adminPort}`],
    ...backendAddresses(variant, site),
  ]);
}
