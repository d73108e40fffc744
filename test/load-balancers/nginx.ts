import { openNginxFront } from '@listen-gateway/testkit';
import { readShipped } from '../deploy/repository.ts';
import { type Balancer, backendAddresses, type Site, substitute, type Variant } from './balancer.ts';

/** nginx as one downloads it, which checks nobody's health: it finds out by asking. */
export const nginx: Balancer = {
  name: 'nginx',
  open: (variant, site) =>
    openNginxFront(site.port, nginxMain, { 'site.conf': nginxSite(variant, site), 'tls.conf': nginxTls(site) }),
};

/** The shipped main file, writing to a folder of the test's own. */
export function nginxMain(dir: string): string {
  return substitute(readShipped('deploy/nginx/nginx.conf'), [
    ['/tmp/', `${dir}/`],
    ['/etc/nginx/conf.d/*.conf', `${dir}/site.conf`],
    // nginx cannot open /dev/stdout where that is the socket that Node gives a child for a pipe.
    ['access_log /dev/stdout', `access_log ${dir}/access.log`],
    ['error_log /dev/stderr', 'error_log stderr'],
  ]);
}

export function nginxSite(variant: Variant, site: Site): string {
  return substitute(readShipped(`deploy/nginx/${variant}.conf`), [...OVER_TLS, ...backendAddresses(variant, site)]);
}

/** The one for containers, which finds its instances by itself; test/containers runs it. */
export function nginxDocker(): string {
  return substitute(readShipped('deploy/nginx/docker.conf'), OVER_TLS);
}

const OVER_TLS = [
  // The plain port is not asked for here: test/deploy and test/e2e do.
  ['listen 8080;', ''],
  // Read beside the main file.
  ['/etc/nginx/listen-gateway/*.conf', 'tls.conf'],
] as const;

export function nginxTls(site: Site): string {
  return substitute(readShipped('deploy/nginx/tls.conf'), [
    ['listen 8443 ', `listen 127.0.0.1:${site.port} `],
    ['/etc/nginx/certificates/mcp.example.com.crt', site.certificate.certFile],
    ['/etc/nginx/certificates/mcp.example.com.key', site.certificate.keyFile],
  ]);
}
