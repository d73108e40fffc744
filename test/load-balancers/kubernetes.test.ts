import { gatewayConfig } from '@listen-gateway/service-gateway';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readManifests } from '../deploy/manifests.ts';
import { readShipped } from '../deploy/repository.ts';

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

const shipped = (path: string) => parse(readShipped(`k8s/components/${path}`));
const service = readManifests('base').find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'gateway');
const port = service?.spec.ports?.[0];
const UNENDING = { request: '0s', backendRequest: '0s' };

describe.each(['gateway-api', 'ingress-nginx'])('the component %s', (name) => {
  it('is one that overlays can take in, and names the files beside it', () => {
    const component = shipped(`${name}/kustomization.yaml`);
    expect(component).toMatchObject({ apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component' });
    for (const resource of component.resources) expect(shipped(`${name}/${resource}`)).toHaveProperty('spec');
  });
});

describe('the route of the Gateway API', () => {
  const rules: readonly Rule[] = shipped('gateway-api/http-route.yaml').spec.rules;
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
  const { metadata, spec } = shipped('ingress-nginx/ingress.yaml');
  const annotation = (name: string) => String(metadata.annotations[`nginx.ingress.kubernetes.io/${name}`]);

  it('lets streams through unbuffered, and three keepalives be late (INS-02, FIELD C10, C11, F7)', () => {
    expect(annotation('proxy-buffering')).toBe('off');
    expect(Number(annotation('proxy-read-timeout')) * 1_000).toBeGreaterThan(3 * stream.keepaliveMs);
  });

  it('lets in the bodies that the gateway takes, and sends no call twice', () => {
    expect(annotation('proxy-body-size')).toBe(`${limits.bodyBytes / 2 ** 20}m`);
    expect(annotation('proxy-next-upstream')).toBe('error timeout');
  });

  it('leads to the Service of the gateway, the metadata of RFC 9728 too', () => {
    const paths: readonly { path: string; backend: object }[] = spec.rules[0].http.paths;
    expect(paths.map(({ path }) => path)).toEqual(['/mcp', '/.well-known/oauth-protected-resource']);
    for (const { backend } of paths) {
      expect(backend).toEqual({ service: { name: 'gateway', port: { name: port?.name } } });
    }
  });
});
