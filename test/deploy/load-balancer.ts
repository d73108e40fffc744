import { readShipped } from './repository.ts';

/** The nginx configuration that operators get. */
export const NGINX_CONF = readShipped('deploy/nginx/listen-gateway.conf');

/** The shipped configuration, listening on a loopback port in front of two instances on others; nothing else is changed. */
export function loadBalancer(port: number, instances: readonly [number, number]): string {
  const ours = [
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    ['server gateway-1:8080 ', `server 127.0.0.1:${instances[0]} `],
    ['server gateway-2:8080 ', `server 127.0.0.1:${instances[1]} `],
  ] as const;
  return ours.reduce((conf, [shipped, here]) => {
    // Without this check a reworded file would leave nginx in front of nothing, or on a port of somebody else.
    if (conf.split(shipped).length !== 2) throw new Error(`listen-gateway.conf should say "${shipped}" once`);
    return conf.replace(shipped, here);
  }, NGINX_CONF);
}
