import type { Balancer } from './balancer.ts';
import { caddy } from './caddy.ts';
import { haproxy } from './haproxy.ts';
import { nginx } from './nginx.ts';

/** Every load balancer whose program can be had here; Envoy's file is checked by its types (envoy.test.ts). */
export const BALANCERS: readonly Balancer[] = [nginx, haproxy, caddy];
