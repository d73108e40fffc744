import type { FrontCertificate, FrontProcess } from '@listen-gateway/testkit';

/** The two ways to deploy: everything to the gateway, or listens and discovers alone (docs/who-answers.md). */
export type Variant = 'listen-gateway' | 'split';
export const VARIANTS: readonly Variant[] = ['listen-gateway', 'split'];

/** What stands behind a load balancer. */
export interface Site {
  readonly certificate: FrontCertificate;
  /** Where it listens on 127.0.0.1. */
  readonly port: number;
  /** The instances have one port and one admin port, and an address each: 127.0.0.1 and 127.0.0.2. */
  readonly gateways: { readonly port: number; readonly adminPort: number };
  /** The servers have one port too, at the same addresses. */
  readonly servers: { readonly port: number };
}

/** A load balancer with the files that we ship for it. */
export interface Balancer {
  readonly name: string;
  /** Whether it has noticed that an instance drains, where it is its health checks that notice; until then refusals go through. */
  hasNoticed?(front: FrontProcess): boolean;
  /** Whether a host is answered 502 where the instance that it was meant for took no connection, until that is noticed. */
  readonly triesOnce?: true;
  /** Starts the real program with the shipped file, in which nothing but addresses is replaced. */
  open(variant: Variant, site: Site): Promise<FrontProcess>;
}

/** Replaces all of these in a shipped file; an entry that it does not say is an error. */
export function substitute(shipped: string, entries: readonly (readonly [said: string, instead: string])[]): string {
  return entries.reduce((text, [said, instead]) => {
    // Without this check a reworded file would leave the program in front of nothing, or on a port of somebody else.
    if (!text.includes(said)) throw new Error(`the shipped file should say "${said}"`);
    return text.replaceAll(said, instead);
  }, shipped);
}

/** The entries that put a site in place of the addresses of the shipped files. */
export function backendAddresses(variant: Variant, { gateways, servers }: Site): readonly [string, string][] {
  const ours: [string, string][] = [
    ['gateway-1:8080', `127.0.0.1:${gateways.port}`],
    ['gateway-2:8080', `127.0.0.2:${gateways.port}`],
  ];
  if (variant === 'listen-gateway') return ours;
  return [...ours, ['server-1:3000', `127.0.0.1:${servers.port}`], ['server-2:3000', `127.0.0.2:${servers.port}`]];
}
