import { randomBytes } from 'node:crypto';
import { createHistogram, performance, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { openBackend } from './backend.ts';
import { Host } from './host.ts';
import { Ledger, type Tally } from './ledger.ts';
import type { LoadOptions } from './load-options.ts';

/** What a load test has found. */
export interface LoadReport extends Tally {
  readonly openedInMs: number;
  /** From a listen to its acknowledgement, in microseconds. */
  readonly acknowledgements: RecordableHistogram;
  /** Streams that ended while changes were published. */
  readonly ended: { readonly completed: number; readonly cut: number };
  /** What the publisher said in place of 202, and how often. */
  readonly refused: ReadonlyMap<string, number>;
  /** Share of the time in which this program had something to do; near 1 it measures itself. */
  readonly busy: number;
}

/** Opens the streams, publishes at the rate, and waits for what is on its way; rejects where not all streams open. */
export async function runLoadTest(options: LoadOptions): Promise<LoadReport> {
  const run = `${options.uriPrefix}${randomBytes(4).toString('hex')}/`;
  const hosts: Host[] = [];
  const ledger = new Ledger({
    // Two more than there can be, since timers are late.
    uris: Array.from({ length: Math.ceil((options.rate * options.withinMs) / 1_000) + 2 }, (_, index) => run + index),
    hosts: options.streams,
    isListening: (host) => hosts[host]?.ended === undefined,
  });
  try {
    const opened = await openHosts(options, hosts, ledger);
    const idle = performance.eventLoopUtilization();
    const refused = await publishAll(options, ledger);
    const { utilization: busy } = performance.eventLoopUtilization(idle);
    const ended = endsOf(hosts);
    return { ...ledger.close(), ...opened, refused, ended, busy };
  } finally {
    for (const host of hosts) host?.close();
  }
}

async function openHosts(options: LoadOptions, hosts: Host[], ledger: Ledger) {
  const startedAt = performance.now();
  const acknowledgements = createHistogram();
  let failure: unknown;
  const openOne = async (index: number) => {
    const askedAt = performance.now();
    const token = options.hostTokens[index % options.hostTokens.length];
    const onNotification = (uri: number) => ledger.heard(index, uri, performance.now());
    hosts[index] = await Host.open({ endpoint: options.endpoint, uris: ledger.uris, token, onNotification });
    acknowledgements.record(Math.max(1, Math.round((performance.now() - askedAt) * 1_000)));
  };
  const opening: Promise<void>[] = [];
  for (let index = 0; index < options.streams && failure === undefined; index += 1) {
    await until(startedAt + (index * 1_000) / options.opensPerSecond);
    const fail = (error: unknown) => {
      failure ??= error;
    };
    opening.push(openOne(index).catch(fail));
  }
  await Promise.all(opening);
  if (failure !== undefined) throw failure;
  return { acknowledgements, openedInMs: performance.now() - startedAt };
}

async function publishAll(options: LoadOptions, ledger: Ledger): Promise<ReadonlyMap<string, number>> {
  const backend = openBackend(options);
  const refused = new Map<string, number>();
  const publishOne = async () => {
    const { uri, index } = ledger.next(performance.now());
    try {
      ledger.published(index, await backend.publish(uri));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      refused.set(why, (refused.get(why) ?? 0) + 1);
    }
  };
  const publishing: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let change = 0; change < options.rate * options.seconds; change += 1) {
    await until(startedAt + (change * 1_000) / options.rate);
    publishing.push(publishOne());
  }
  await Promise.all(publishing);
  const deadline = performance.now() + options.withinMs;
  while (!ledger.isSettled && performance.now() < deadline) await pause(SETTLE_STEP_MS);
  return refused;
}

/** How often it is looked whether all has arrived. */
const SETTLE_STEP_MS = 50;

function endsOf(hosts: readonly Host[]): LoadReport['ended'] {
  const count = (end: Host['ended']) => hosts.filter(({ ended }) => ended === end).length;
  return { completed: count('completed'), cut: count('cut') };
}

async function until(at: number): Promise<void> {
  const waitMs = at - performance.now();
  if (waitMs > 0) await pause(waitMs);
}
