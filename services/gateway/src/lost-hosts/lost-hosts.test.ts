import { ManualClock } from '@listen-gateway/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LostHosts, type WatchedConnection } from './lost-hosts.ts';

const KEEPALIVE_MS = 1_000;
const LINE = '   1: 0100007F:1F90 0100007F:XXXX 01 00000003:00000000 01:00000064 00000002     0        0 1';

/** A connection from a port of loopback, and whether it was cut. */
class TestConnection implements WatchedConnection {
  readonly ends;
  cuts = 0;

  constructor(remotePort: number) {
    this.ends = { localPort: 0x1f90, remoteAddress: '127.0.0.1', remotePort };
  }

  cut(): void {
    this.cuts += 1;
  }
}

describe('lost hosts', () => {
  let clock: ManualClock;
  let lostHosts: LostHosts;
  let silentPorts: number[];
  let lost: number;
  const faults: unknown[] = [];
  let tables: () => Promise<string[]>;

  beforeEach(() => {
    clock = new ManualClock();
    silentPorts = [];
    lost = 0;
    faults.length = 0;
    const lineOf = (port: number) => LINE.replace('XXXX', port.toString(16).toUpperCase().padStart(4, '0'));
    tables = async () => [silentPorts.map(lineOf).join('\n')];
    lostHosts = new LostHosts({
      clock,
      keepaliveMs: KEEPALIVE_MS,
      readTables: () => tables(),
      onLost: () => {
        lost += 1;
      },
      onFault: (cause) => faults.push(cause),
    });
  });
  afterEach(() => lostHosts.stop());

  /** Lets time pass in steps of a tenth of a period, checks included. */
  const pass = async (ms: number) => {
    for (let step = 0; step < ms; step += KEEPALIVE_MS / 10) {
      clock.advance(KEEPALIVE_MS / 10);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  it('are cut within one period of the first bytes that nobody acknowledges, the others are not', async () => {
    const [silent, well] = [new TestConnection(1), new TestConnection(2)];
    lostHosts.watch(silent);
    lostHosts.watch(well);
    lostHosts.start();
    await pass(KEEPALIVE_MS * 3);
    expect([silent.cuts, well.cuts]).toEqual([0, 0]);

    silentPorts = [1];
    await pass(KEEPALIVE_MS);

    expect(silent.cuts).toBeGreaterThan(0);
    expect(well.cuts).toBe(0);
    expect(lost).toBe(silent.cuts);
  });

  it('are given the time again when they answered in between', async () => {
    const host = new TestConnection(1);
    lostHosts.watch(host);
    lostHosts.start();
    for (let round = 0; round < 5; round += 1) {
      silentPorts = [1];
      await pass(KEEPALIVE_MS * 0.5);
      silentPorts = [];
      await pass(KEEPALIVE_MS * 0.3);
    }
    expect(host.cuts).toBe(0);
  });

  it('that left are forgotten', async () => {
    const host = new TestConnection(1);
    lostHosts.watch(host);
    lostHosts.start();
    silentPorts = [1];
    await pass(KEEPALIVE_MS * 0.5);
    lostHosts.forget(host);
    await pass(KEEPALIVE_MS * 3);
    expect(host.cuts).toBe(0);
  });

  it('are not looked for where there is no such table: that is said once, and nothing else is touched', async () => {
    tables = () => Promise.reject(new Error('no /proc here'));
    const host = new TestConnection(1);
    lostHosts.watch(host);
    lostHosts.start();
    await pass(KEEPALIVE_MS * 5);
    expect(faults).toHaveLength(1);
    expect(host.cuts).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('cost nothing while nobody listens', async () => {
    tables = () => Promise.reject(new Error('read for nobody'));
    lostHosts.start();
    await pass(KEEPALIVE_MS * 3);
    expect(faults).toEqual([]);
    lostHosts.stop();
    expect(clock.pending).toBe(0);
  });
});
