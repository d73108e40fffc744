import type { Filter, ServerId } from '@listen-gateway/protocol';
import { authConfig } from '@listen-gateway/service-kit';
import { ManualClock } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import type { HostPrincipal } from '../auth/host-principal.ts';
import { type Authorizer, allOf } from './authorizer.ts';
import { openAuthorizer } from './open-authorizer.ts';

const ALL: Filter = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['file:///teams/a', 'file:///teams/a/1', 'file:///teams/ab', 'urn:x'],
  taskIds: ['t1', 't2'],
};

/** The authorizer of a server with these settings of `auth`. */
function configured(settings: object): Authorizer {
  const config = authConfig.parse({ issuer: 'https://id.acme.example', ...settings });
  return openAuthorizer('acme' as ServerId, config, { clock: new ManualClock(0), onConsulted: () => {} });
}

function ann(claims: object, scopes: readonly string[] = []): HostPrincipal {
  const rest = { expiresAtMs: undefined, sid: undefined, jti: undefined };
  return { subject: 'ann', issuer: 'https://id.acme.example', scopes, claims: { ...claims }, ...rest };
}

const granted = (settings: object, principal: HostPrincipal, subResources = false, requested = ALL) =>
  configured(settings).grant({ principal, requested, subResources });

describe('what a principal may watch', () => {
  it('is all that its server supports where nothing else is configured', async () => {
    expect(await granted({}, ann({}))).toEqual(ALL);
  });

  it('is what its claims name, the rest left out as if it were unsupported (INS-04, P-1.3)', async () => {
    const claims = { lists: 'mcp_lists', uris: 'https://acme.example/uris', taskIds: 'mcp_tasks' };
    const principal = ann({
      mcp_lists: ['tools', 'resources', 'other'],
      'https://acme.example/uris': ['file:///teams/a/**', 'file:///else'],
      mcp_tasks: 't2',
    });
    expect(await granted({ claims }, principal)).toStrictEqual({
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['file:///teams/a', 'file:///teams/a/1'],
      taskIds: ['t2'],
    });
  });

  it('is not narrowed by claims in a part that has no claim configured', async () => {
    expect(await granted({ claims: { uris: 'uris' } }, ann({ uris: ['urn:x'] }))).toEqual({
      ...ALL,
      resourceSubscriptions: ['urn:x'],
    });
  });

  it.each([undefined, null, 5, {}, [5], ['urn:x', 5], [['urn:x']], { length: 1, 0: 'urn:x' }])(
    'is nothing by a claim that is %j',
    async (uris) => {
      expect(await granted({ claims: { uris: 'uris' } }, ann(uris === undefined ? {} : { uris }))).toEqual({
        ...ALL,
        resourceSubscriptions: undefined,
      });
    },
  );

  it.each(['constructor', 'toString', '__proto__'])(
    'is nothing by a claim called %s that no token has',
    async (uris) => {
      const narrowed = await granted({ claims: { uris } }, ann({}));
      expect(narrowed).not.toHaveProperty('resourceSubscriptions');
    },
  );

  it('is what the rules together name whose scopes its token has, all of them', async () => {
    const policy = [
      { lists: ['tools'] },
      { scopes: ['read'], uris: ['file:///teams/a/**'] },
      { scopes: ['read', 'tasks'], taskIds: ['**'] },
      { scopes: ['admin'], lists: ['prompts'], uris: ['**'] },
    ];
    expect(await granted({ policy }, ann({}, ['read', 'other']))).toStrictEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['file:///teams/a', 'file:///teams/a/1'],
    });
    expect(await granted({ policy }, ann({}, ['tasks', 'read']))).toMatchObject({ taskIds: ['t1', 't2'] });
    expect(await granted({ policy }, ann({}, ['tasks']))).toStrictEqual({ toolsListChanged: true });
  });

  it('is nothing where no rule applies', async () => {
    expect(await granted({ policy: [{ scopes: ['admin'], lists: ['tools'] }] }, ann({}))).toStrictEqual({});
  });

  it('is what claims and policy both grant', async () => {
    const settings = { claims: { uris: 'uris' }, policy: [{ lists: ['tools'], uris: ['file:///teams/a/**'] }] };
    expect(await granted(settings, ann({ uris: ['file:///teams/a/1', 'urn:x'] }))).toStrictEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['file:///teams/a/1'],
    });
  });

  it('of a server with sub-resources is only what may be watched with all beneath it (P-1.11)', async () => {
    const uris = ['file:///teams/a', 'file:///teams/ab/**'];
    const expected = { resourceSubscriptions: ['file:///teams/ab'] };
    expect(await granted({ policy: [{ uris }] }, ann({}), true)).toStrictEqual(expected);
    expect(await granted({ claims: { uris: 'uris', lists: 'none', taskIds: 'none' } }, ann({ uris }), true)).toEqual(
      expected,
    );
  });
});

describe('several authorizers', () => {
  const fixed = (answer: Awaited<ReturnType<Authorizer['grant']>>, asked: Filter[] = []): Authorizer => ({
    grant: async ({ requested }) => {
      asked.push(requested);
      return answer;
    },
    forget: () => {},
    close: async () => {},
  });
  const asking = { principal: ann({}), requested: ALL, subResources: false };

  it('are each asked for what those before left, and not at all for nothing', async () => {
    const asked: Filter[] = [];
    const left = { toolsListChanged: true };
    expect(await allOf([fixed(left), fixed({}, asked), fixed(left, asked)]).grant(asking)).toEqual({});
    expect(asked).toEqual([left]);
  });

  it('grant nothing where one cannot say', async () => {
    const authorizer = allOf([fixed(ALL), fixed('authorizer-unavailable'), fixed(ALL)]);
    expect(await authorizer.grant(asking)).toBe('authorizer-unavailable');
  });
});
