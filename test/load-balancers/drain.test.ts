import { eventually, INSTALL_MS } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backends, openBackends } from './backends.ts';
import type { Balancer } from './balancer.ts';
import { BALANCERS } from './balancers.ts';
import { DrainWitness } from './drain-witness.ts';
import { HTTP_VERSIONS, type HttpVersion } from './front-host.ts';

const opened: { close(): unknown }[] = [];
const witnesses = new Map<string, DrainWitness>();
let backends: Backends;
let exit: unknown;

const nameOf = (balancer: Balancer, version: HttpVersion) => `${balancer.name} ${version}`;

// One instance drains and ends, behind all of them at once.
beforeAll(async () => {
  backends = await openBackends({ LG_DRAIN__DELAY_MS: '5000', LG_DRAIN__WINDOW_MS: '500' });
  opened.push(backends);
  for (const balancer of BALANCERS) {
    const site = await backends.site();
    const front = await balancer.open('listen-gateway', site);
    opened.push(front);
    for (const version of HTTP_VERSIONS) {
      const name = nameOf(balancer, version);
      const witness = await DrainWitness.open(name, front, site.certificate.certificate, version);
      opened.push(witness);
      witnesses.set(name, witness);
    }
  }
  const [leaving] = backends.gateways;
  leaving.signal('SIGTERM');
  await eventually(5_000, 'the drain', async () => (await leaving.readiness()) === 503);
  const noticing = BALANCERS.flatMap((balancer) => HTTP_VERSIONS.map((version) => notices(balancer, version)));
  await Promise.all(noticing);
  exit = await leaving.ended();
  for (const witness of witnesses.values()) await witness.rest();
}, INSTALL_MS);
afterAll(async () => {
  for (const one of opened.reverse()) await one.close();
});

/** Has the witness ask from the moment on from which it should see nothing of the drain any more. */
async function notices(balancer: Balancer, version: HttpVersion): Promise<void> {
  const witness = witnesses.get(nameOf(balancer, version));
  await eventually(4_000, `${balancer.name} to notice`, async () => {
    if (balancer.hasNoticed?.(witness?.front as DrainWitness['front']) ?? true) return true;
    const refused = await witness?.listens();
    if (refused?.status === 503) expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    return false;
  });
  witness?.startAsking();
}

describe.each(BALANCERS)('a host behind $name', (balancer) => {
  describe.each(HTTP_VERSIONS)('that speaks %s', (version) => {
    const witness = () => witnesses.get(nameOf(balancer, version)) as DrainWitness;

    it('sees nothing of it when an instance drains: its new listens go to the other one (INS-05)', () => {
      expect(exit).toBe(0);
      expect(witness().answers.listens.length).toBeGreaterThan(10);
      expect(witness().answers.listens.filter((status) => status !== 200)).toEqual([]);
      expect(witness().answers.calls.filter((status) => status !== 200)).toEqual([]);
    });

    it('has each call made once', () => {
      const arrived = backends.server.calls.filter((id) => witness().ids.includes(id as string));
      expect(arrived).toEqual(witness().ids);
    });

    it('keeps the streams of the other instance, and those of the first end with their result (P-1.8)', async () => {
      const ended = witness().held.filter(({ over }) => over);
      expect(ended.length, 'some were there').toBeGreaterThan(0);
      expect(ended.length).toBeLessThan(witness().held.length);
      for (const { messages } of ended) expect(messages.at(-1)).toMatchObject({ result: { resultType: 'complete' } });
    });
  });
});
