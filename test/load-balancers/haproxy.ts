import { openHaproxy } from '@listen-gateway/testkit';
import { readShipped } from '../deploy/repository.ts';
import { type Balancer, backendAddresses, type Site, substitute, type Variant } from './balancer.ts';

/** HAProxy, with health checks against the admin ports. */
export const haproxy: Balancer = {
  name: 'HAProxy',
  open: (variant, site) => openHaproxy(site.port, haproxyConfig(variant, site)),
};

export function haproxyConfig(variant: Variant, site: Site): string {
  return substitute(readShipped(`deploy/haproxy/${variant}.cfg`), [
    ['bind :8443 ', `bind 127.0.0.1:${site.port} `],
    ['127.0.0.1:8079', `127.0.0.3:${site.port}`],
    ['/etc/haproxy/certificates/mcp.example.com.pem', site.certificate.pemFile],
    ['port 9090 ', `port ${site.gateways.adminPort} `],
    ...backendAddresses(variant, site),
  ]);
}
