import { INSTALL_MS } from '@listen-gateway/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fleetContract } from '../e2e/fleet-contract.ts';
import { FleetHosts } from '../e2e/fleet-hosts.ts';
import { BUILD_MS, ComposeFleet, DOWN_MS, UP_MS } from './compose-fleet.ts';
import { CurlLines } from './curl-lines.ts';
import { runDocker } from './run-docker.ts';

let fleet: ComposeFleet;

beforeAll(async () => {
  fleet = await ComposeFleet.onFreePorts();
  await fleet.up();
}, BUILD_MS + UP_MS);
afterAll(() => fleet.down(), DOWN_MS);

describe('docker compose up --wait', { timeout: 120_000 }, () => {
  it(
    'lets a change arrive by the two curl lines of the README, word for word (P-1.5, INS-01)',
    async () => {
      const lines = await CurlLines.open(fleet);
      try {
        const listening = lines.start(0);
        await listening.prints(/subscriptions\/acknowledged.*\n\n/s);
        expect(await lines.run(1)).toMatch(/"receipts":\[\{.*"instances":1/);
        await listening.prints(/subscriptions\/acknowledged.*\n\n.*"method":"notifications\/tools\/list_changed"/s);
      } finally {
        await lines.close();
      }
    },
    INSTALL_MS,
  );
});

fleetContract('of docker compose behind nginx', async () => fleet, INSTALL_MS);

describe('nginx of docker compose', { timeout: 240_000 }, () => {
  const stand = `listen-gateway-stand-in-${process.pid}`;
  afterEach(() => runDocker({ args: ['rm', '--force', stand], limitMs: 60_000 }), 60_000);

  it('finds an instance that was made anew at another address, and starts where one is away', async () => {
    const [renewed] = fleet.instances;
    const hosts = new FleetHosts(fleet);
    const before = await renewed.address();
    await fleet.compose(['rm', '--stop', '--force', renewed.name]);
    const sleep = ['--network', `${fleet.project}_default`, 'redis:7-alpine'];
    await runDocker({ args: ['run', '--detach', '--name', stand, ...sleep], limitMs: 60_000 });
    await fleet.compose(['restart', 'nginx']);
    await fleet.compose(['up', '--wait', '--no-build', '--no-deps', 'nginx']);
    for (const _ of fleet.instances) await hosts.listen();
    expect(await fleet.instances[1].streams(), 'the one that is there takes all').toBe(2);

    await renewed.start();

    expect(await renewed.address(), 'its address is taken').not.toBe(before);
    await hosts.onEach(1, () => hosts.listen());
    await hosts.leave();
  });
});

describe('the image', { timeout: 60_000 }, () => {
  const inspected = async (format: string) =>
    JSON.parse(
      await runDocker({ args: ['image', 'inspect', '--format', `{{json ${format}}}`, fleet.image], limitMs: 30_000 }),
    );

  it('is below 200 MB with the one that it is based on', async () => {
    expect(await inspected('.Size')).toBeLessThan(200_000_000);
  });

  it('says what it is, by which licence and of which version, and how to ask whether it lives', async () => {
    expect(await inspected('.Config.Labels')).toMatchObject({
      'org.opencontainers.image.title': 'listen-gateway',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
      'org.opencontainers.image.revision': expect.any(String),
    });
    expect(await inspected('.Config.Healthcheck.Test')).toEqual(['CMD', '/app/listen-gateway', 'healthcheck']);
    await fleet.compose(['exec', '-T', 'gateway-1', '/app/listen-gateway', 'healthcheck']);
    const nobody = 'http://127.0.0.1:9/';
    const asked = fleet.compose(['exec', '-T', 'gateway-1', '/app/listen-gateway', 'healthcheck', nobody]);
    await expect(asked).rejects.toThrow('ended with 1');
  });

  it('runs as nobody in particular, with nothing to write to and no development dependency', async () => {
    const script = 'id -u; touch /app/here 2>/dev/null || echo read-only; ls /app/node_modules; du -sm /app';
    const printed = await fleet.compose(['exec', '-T', 'gateway-2', 'sh', '-c', script]);
    const [user, root, ...modules] = printed.trim().split('\n');
    expect([user, root]).toEqual(['1000', 'read-only']);
    expect(modules).toContain('hono');
    for (const name of ['node', 'typescript', 'vitest', '@types']) expect(modules).not.toContain(name);
    expect(Number.parseInt(modules.at(-1) ?? '', 10), 'MB beside the base image').toBeLessThan(50);
  });

  it('has node be the process that the engine signals', async () => {
    const printed = await fleet.compose(['exec', '-T', 'gateway-2', 'sh', '-c', 'tr "\\0" " " </proc/1/cmdline']);
    expect(printed).toMatch(/^node .*services\/gateway\/dist\/main\.js/);
  });
});
