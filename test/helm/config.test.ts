import { describe, expect, it } from 'vitest';
import { longestShutdownMs } from '../deploy/service-settings.ts';
import { find, podOf, refusal, render, type Values } from './chart.ts';
import { HELM_MS } from './helm-program.ts';
import { gatewayOf, problemsOf } from './rendered-settings.ts';

/** With memory for every stream that it may be told to take. */
const roomy = (config: unknown): Values => ({ config, gateway: { resources: { limits: { memory: '4Gi' } } } });

const OPEN = { exposeWithoutAuthentication: true };
const AUTHENTICATED = {
  http: { publicUrl: 'https://mcp.example.com' },
  broker: { mode: 'sentinel', nodes: ['sentinel-0:26379'], journal: { ageMs: 7_200_000 } },
  servers: { 'acme-ops': { auth: { issuer: 'https://id.example.com' }, capabilities: { prompts: false } } },
  publisher: { auth: { keysFile: '/etc/keys.yaml' } },
  limits: { streamsPerInstance: 20_000 },
};

describe('the configuration that the chart writes', { timeout: HELM_MS }, () => {
  it('is one that both services take, once it says who is let in', async () => {
    const objects = await render(roomy(AUTHENTICATED));
    expect(problemsOf(objects)).toEqual([]);
    const settings = gatewayOf(objects);
    expect(settings).toMatchObject({
      broker: { mode: 'sentinel', journal: { ageMs: 7_200_000 } },
      http: { publicUrl: 'https://mcp.example.com' },
      drain: { delayMs: 10_000 },
      limits: { streamsPerInstance: 20_000 },
    });
    expect([...settings.servers.keys()], 'and no server that nobody named').toEqual(['acme-ops']);
    expect(problemsOf(await render({})), 'until it does, both say so').toEqual([
      expect.stringContaining('listen.host'),
      expect.stringContaining('publisher.host'),
    ]);
  });

  it('has what pods need where a mapping says nothing of it, and what a mapping says even where that is false', async () => {
    const config = { http: OPEN, stream: { resultAtDrain: false }, drain: { windowMs: 0 } };
    expect(gatewayOf(await render({ config }))).toMatchObject({
      stream: { resultAtDrain: false },
      drain: { delayMs: 10_000, windowMs: 0 },
      limits: { streamsPerInstance: 16_000 },
    });
  });

  it('is without the empty members of a mapping, by which one file of values takes back what another has set', async () => {
    const stream = { keepaliveMs: null, stallMs: 20_000 };
    const server = { title: null, upstream: null };
    const config = { http: OPEN, drain: null, limits: { streamsPerInstance: null }, stream, servers: { acme: server } };
    const objects = await render({ config });
    expect(find(objects, 'ConfigMap').data['listen-gateway.yaml']).not.toContain('null');
    expect(gatewayOf(objects)).toMatchObject({
      drain: { delayMs: 10_000 },
      limits: { streamsPerInstance: 16_000 },
      stream: { keepaliveMs: 15_000, stallMs: 20_000 },
    });
    expect(await refusal({ config: { servers: { acme: null } } }), 'a server is named or it is not').toContain('acme');
  });

  it('may be a text with sections that are empty', async () => {
    const text =
      'http:\nservers:\n  acme:\nstream:\nlimits:\n  streamsPerInstance: 9\ndrain:\n  delayMs: 5000\n  windowMs:\n';
    expect(podOf(await render({ config: text }), 'gateway').spec.terminationGracePeriodSeconds).toBe(45);
  });

  it('is the very text that it was given', async () => {
    const server = 'servers:\n  acme: { upstream: { url: "http://acme", authorization: off } }\n';
    const text = `# Ours.\nhttp: { exposeWithoutAuthentication: true }\n${server}drain: { delayMs: 5000 }\n`;
    const objects = await render(roomy(text));
    expect(find(objects, 'ConfigMap').data['listen-gateway.yaml']).toBe(text);
    expect(gatewayOf(objects).servers).toMatchObject(new Map([['acme', { upstream: { authorization: 'off' } }]]));
  });

  it.each([
    ['config: is no YAML mapping', 'drain: ['],
    ['config: is no YAML mapping', '- drain'],
    ['config.drain: must be a mapping, but is 5', 'drain: 5'],
    ['config.drain.windowMs: must be a whole number, but is "1 min"', 'drain: { delayMs: 5000, windowMs: 1 min }'],
    ['config.drain.windowMs: must be a whole number, but is 1.5', 'drain: { delayMs: 5000, windowMs: 1.5 }'],
    ['config.drain.delayMs: 0 is too little', 'servers: { acme: {} }'],
    ['config.drain.delayMs: 0 is too little', ''],
  ])('is refused with "%s" where it is %j', async (problem, text) => {
    expect(await refusal(roomy(text))).toContain(problem);
  });
});

describe('the grace period of pods', { timeout: HELM_MS }, () => {
  it.each([
    [{}],
    [{ delayMs: 5_000, windowMs: 0, graceMs: 100 }],
    [{ delayMs: 12_345, windowMs: 45_678, graceMs: 6_789 }],
    [{ windowMs: 600_000 }],
    [{ delayMs: 3_600_000 }],
  ])('is enough for the longest drain of a gateway, and hardly more, where drain is %j (FIELD F1)', async (drain) => {
    const objects = await render({ config: { http: OPEN, drain } });
    const graceMs = podOf(objects, 'gateway').spec.terminationGracePeriodSeconds * 1_000;
    const spareMs = graceMs - longestShutdownMs(gatewayOf(objects));
    expect(spareMs).toBeGreaterThanOrEqual(5_000);
    expect(spareMs).toBeLessThanOrEqual(6_000);
  });

  it('is that of the services where the text names no drain but its delay', async () => {
    const text = 'drain: { delayMs: 10000 }\nlimits: { streamsPerInstance: 16000 }\n';
    const [given, computed] = [await render({ config: text }), await render({})];
    expect(podOf(given, 'gateway').spec.terminationGracePeriodSeconds).toBe(
      podOf(computed, 'gateway').spec.terminationGracePeriodSeconds,
    );
  });

  it.each([5, 10, 60])(
    'follows the time for which the publisher waits, %d s, and leaves it 8 s',
    async (preStopSeconds) => {
      const { spec, container } = podOf(await render({ publisher: { preStopSeconds } }), 'publisher');
      expect(container.lifecycle).toEqual({ preStop: { sleep: { seconds: preStopSeconds } } });
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(preStopSeconds + 8);
    },
  );

  it('may be longer, and is refused where it is too short', async () => {
    const longer = await render({
      gateway: { terminationGracePeriodSeconds: 45 },
      publisher: { terminationGracePeriodSeconds: 600 },
    });
    expect(podOf(longer, 'gateway').spec.terminationGracePeriodSeconds).toBe(45);
    expect(podOf(longer, 'publisher').spec.terminationGracePeriodSeconds).toBe(600);
    expect(await refusal({ gateway: { terminationGracePeriodSeconds: 44 } })).toContain(
      'gateway.terminationGracePeriodSeconds: 44 is too little, a shutdown may need 45; leave it out to have it computed',
    );
    expect(await refusal({ publisher: { terminationGracePeriodSeconds: 17 } })).toContain(
      'publisher.terminationGracePeriodSeconds: 17 is too little, a shutdown may need 18',
    );
  });
});
