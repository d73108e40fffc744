import { gatewayConfig } from '@listen-gateway/service-gateway';
import { describe, expect, it } from 'vitest';
import { findManifest, renderComponents, renderManifests } from '../deploy/manifests.ts';

const { limits, stream } = gatewayConfig.parse({});

interface Match {
  readonly path: { readonly value: string };
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

interface Rule {
  readonly matches: readonly Match[];
  readonly timeouts?: object;
  readonly retry?: object;
  readonly backendRefs: readonly object[];
}

interface IngressSpec {
  readonly rules: readonly [{ readonly http: { readonly paths: readonly { path: string; backend: object }[] } }];
}

const both = await renderComponents('gateway-api', 'ingress-nginx');
const production = await renderManifests('overlays/production');
const port = findManifest(both, 'Service', 'gateway').spec.ports?.[0];
const UNENDING = { request: '0s', backendRequest: '0s' };

describe.each([
  ['the component', both],
  ['the production overlay', production],
])('the route of the Gateway API in %s', (_, manifests) => {
  const { rules } = findManifest<{ readonly rules: readonly Rule[] }>(manifests, 'HTTPRoute', 'gateway').spec;
  const ruleOf = (method: string) =>
    rules.find(({ matches }) => matches.some(({ headers }) => headers?.[0]?.value === method));

  it('sets no end to streams, whether of listens or of tools (FIELD F7)', () => {
    expect(ruleOf('subscriptions/listen')?.timeouts).toEqual(UNENDING);
    expect(rules.at(-1)?.timeouts).toEqual(UNENDING);
  });

  it('takes listens and discovers by Mcp-Method, so that all else can go to the servers, and sends nothing twice', () => {
    expect(ruleOf('server/discover')).toBeDefined();
    expect(rules.at(-1)?.matches).toEqual([{ path: { type: 'PathPrefix', value: '/mcp' } }]);
    for (const { retry, matches } of rules) {
      expect(retry).toBeUndefined();
      for (const { headers = [] } of matches) expect(headers.every(({ name }) => name === 'Mcp-Method')).toBe(true);
    }
  });

  it('leads to the Service of the gateway', () => {
    for (const { backendRefs } of rules) expect(backendRefs).toEqual([{ name: 'gateway', port: port?.port }]);
  });
});

describe('the ingress for ingress-nginx', () => {
  const { metadata, spec } = findManifest<IngressSpec>(both, 'Ingress', 'gateway');
  const annotation = (name: string) => metadata.annotations?.[`nginx.ingress.kubernetes.io/${name}`];

  it('lets streams through unbuffered, and three keepalives be late (INS-02, FIELD C10, C11, F7)', () => {
    expect(annotation('proxy-buffering')).toBe('off');
    expect(Number(annotation('proxy-read-timeout')) * 1_000).toBeGreaterThan(3 * stream.keepaliveMs);
  });

  it('lets in the bodies that the gateway takes, and sends no call twice', () => {
    expect(annotation('proxy-body-size')).toBe(`${limits.bodyBytes / 2 ** 20}m`);
    expect(annotation('proxy-next-upstream')).toBe('error timeout');
  });

  it('leads to the Service of the gateway, the metadata of RFC 9728 too', () => {
    const { paths } = spec.rules[0].http;
    expect(paths.map(({ path }) => path)).toEqual(['/mcp', '/.well-known/oauth-protected-resource']);
    for (const { backend } of paths) {
      expect(backend).toEqual({ service: { name: 'gateway', port: { name: port?.name } } });
    }
  });
});
