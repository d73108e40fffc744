import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { watchBroker } from './metrics.ts';

function watch() {
  const metrics = createMetrics({ service: 'test' });
  const lines: { readonly level: string; readonly msg: string }[] = [];
  const destination = new Writable({
    write: (line, _encoding, done) => {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  const broker = watchBroker(metrics, createLog({ level: 'info', pretty: false }, { destination }));
  /** The broker's series that are not buckets, as they are scraped. */
  const series = async () => {
    const { text } = await metrics.expose();
    return Object.fromEntries(
      text
        .split('\n')
        .filter((line) => line.startsWith('lg_broker_') && !line.includes('_bucket{'))
        .map((line) => [line.slice('lg_broker_'.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    );
  };
  return { broker, series, lines };
}

const NOTHING = {
  bad_payloads_total: 0,
  caught_up_changes_total: 0,
  catch_up_seconds_count: 0,
  catch_up_seconds_sum: 0,
  gaps_total: 0,
  lost_changes_total: 0,
  probe_seconds_count: 0,
  probe_seconds_sum: 0,
};

describe('what a broker reports', () => {
  it('begins at nothing, without a connection that might be missed', async () => {
    expect(await watch().series()).toEqual(NOTHING);
  });

  it('is of each connection whether it is up and how often it was lost, however many attempts fail after that', async () => {
    const { broker, series, lines } = watch();
    broker.connected('commands');
    expect(await series()).toMatchObject({ 'connected{role="commands"}': 1, 'disconnects_total{role="commands"}': 0 });
    for (let attempt = 0; attempt < 3; attempt += 1) broker.disconnected('commands', new Error('refused'));
    expect(await series()).toMatchObject({ 'connected{role="commands"}': 0, 'disconnects_total{role="commands"}': 1 });
    broker.connected('commands');
    broker.disconnected('commands', new Error('reset'));
    expect(await series()).toMatchObject({ 'disconnects_total{role="commands"}': 2 });
    expect(lines.map(({ level }) => level)).toEqual(['info', 'warn', 'info', 'warn']);
  });

  it('is counted and timed in seconds', async () => {
    const { broker, series } = watch();
    broker.probed(250);
    broker.caughtUp('default', 7, 1_500);
    broker.badPayload('default');
    broker.gap('default');
    broker.lost('default');
    expect(await series()).toEqual({
      bad_payloads_total: 1,
      caught_up_changes_total: 7,
      catch_up_seconds_count: 1,
      catch_up_seconds_sum: 1.5,
      gaps_total: 1,
      lost_changes_total: 1,
      probe_seconds_count: 1,
      probe_seconds_sum: 0.25,
    });
  });
});
