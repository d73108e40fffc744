import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@listen-gateway/testkit';
import { Beacons } from '../chaos/beacons.ts';
import { DELIVERY_LIMIT_MS } from '../chaos/checks/signalled.ts';
import { Backends, Hosts } from '../chaos/crew.ts';
import { type Asked, adminStatus, HealthWatch } from '../chaos/health-watch.ts';
import { recordOfLogLine } from '../chaos/log-line.ts';
import type { Population } from '../chaos/population.ts';
import { RecordFile, readRecords } from '../chaos/record-file.ts';
import { type CampaignRecord, nowMs, type WorldRecord } from '../chaos/records.ts';
import type { ComposeFleet } from './compose-fleet.ts';
import type { ComposeInstance } from './compose-instance.ts';
import { ContainerDeaths } from './container-deaths.ts';
import { Whereabouts } from './whereabouts.ts';

/** Small publishes each second. */
const RATE = 12;
const START_MS = 60_000;
/** The drain of an instance, its start, and the beacons of after that. */
const WHOLE_MS = 60_000;

/** Hosts in front of a deployed fleet and backends at its publisher, recorded as the fault campaign records its own. */
export class FleetCampaign {
  readonly #fleet: ComposeFleet;
  readonly #dir: string;
  readonly #records: RecordFile;
  readonly #hosts: Hosts;
  readonly #backends: Backends;
  readonly #beacons: Beacons;
  readonly #health: HealthWatch;
  readonly #deaths: ContainerDeaths;
  readonly #whereabouts = new Whereabouts();
  readonly #asked: readonly Asked[];
  readonly #stopped = new Set<string>();

  private constructor(fleet: ComposeFleet, dir: string, population: Population, hosts: number) {
    this.#fleet = fleet;
    this.#dir = dir;
    this.#records = new RecordFile(join(dir, 'world.jsonl'));
    const endpoints = [{ name: 'nginx', port: fleet.port('GATEWAY_PORT'), numbered: true as const }];
    const publishers = [{ name: 'publisher', url: fleet.publisherUrl }];
    const adminUrl = `http://127.0.0.1:${fleet.port('PUBLISHER_ADMIN_PORT')}`;
    this.#asked = [...fleet.instances, { name: 'publisher', adminUrl }];
    this.#deaths = new ContainerDeaths(fleet.project, ({ service, exitCode: how }) => {
      this.#record({ type: 'exited', at: nowMs(), service, how, wanted: this.#stopped.has(service) });
    });
    this.#hosts = new Hosts({ population, endpoints, hosts }, join(dir, 'hosts.jsonl'));
    const { instances } = fleet;
    this.#beacons = new Beacons({ instances, publishers, servers: population.servers, record: this.#record });
    this.#health = new HealthWatch(this.#asked, this.#record);
    this.#backends = new Backends({ population, publishers, rate: RATE }, join(dir, 'backends.jsonl'));
  }

  /** Resolves once nearly all hosts have their streams, and beacons come through. */
  static async open(fleet: ComposeFleet, population: Population, hosts: number): Promise<FleetCampaign> {
    const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-rolling-'));
    const campaign = new FleetCampaign(fleet, dir, population, hosts);
    try {
      await campaign.#whereabouts.look(fleet.instances, 0);
      await eventually(START_MS, `${hosts} hosts to stream`, async () => {
        // A few are between two streams at any time.
        return (await campaign.#hosts.streaming()) >= hosts * 0.95;
      });
      await campaign.#whole(nowMs());
      return campaign;
    } catch (cause) {
      await campaign.close();
      throw cause;
    }
  }

  /** Takes an instance away by `restart`, and resolves once it and all others are whole again. */
  async without(
    { name }: ComposeInstance,
    how: 'terminated' | 'killed',
    restart: () => Promise<unknown>,
  ): Promise<void> {
    this.#stopped.add(name);
    this.#record({ type: 'stopped', at: nowMs(), service: name, how });
    await restart();
    const at = nowMs();
    await this.#whereabouts.look(this.#fleet.instances, at);
    await this.#whole(at);
    this.#stopped.delete(name);
    this.#record({ type: 'running', at: nowMs(), service: name });
  }

  /** Ends it in good order, and resolves with all that was recorded, each stream under the instance that held it. */
  async finish(): Promise<CampaignRecord[]> {
    await this.#backends.close();
    await this.#whole(nowMs());
    // So that the signals of the last changes are late at the earliest when all is over.
    await pause(DELIVERY_LIMIT_MS);
    this.#record({ type: 'over', at: nowMs() });
    await this.#hosts.close();
    await this.#beacons.close();
    this.#health.close();
    await this.#deaths.close();
    await this.#records.close();
    const paths = [join(this.#dir, 'world.jsonl'), this.#hosts.recordsPath, this.#backends.recordsPath];
    const records = [...(await readRecords(paths)), ...(await this.#logged())];
    return this.#placed(records);
  }

  /** Stops everything, whatever state it is in. */
  async close(): Promise<void> {
    this.#health.close();
    const parts = [this.#backends, this.#beacons, this.#hosts, this.#deaths, this.#records];
    await Promise.allSettled(parts.map((part) => part.close()));
    await rm(this.#dir, { recursive: true, force: true });
  }

  readonly #record = (record: WorldRecord): void => this.#records.write(record);

  async #whole(since: number): Promise<void> {
    await eventually(WHOLE_MS, 'every service to be whole', async () => {
      if (this.#fleet.instances.some(({ name }) => this.#beacons.settledSince(name) < since)) return false;
      const ready = await Promise.all(this.#asked.map((one) => adminStatus(one, '/readyz')));
      return ready.every((status) => status === 200);
    });
  }

  /** What the instances wrote, at the time at which they did. */
  async #logged(): Promise<CampaignRecord[]> {
    const offsetMs = nowMs() - Date.now();
    const records: CampaignRecord[] = [];
    for (const { name } of this.#fleet.instances) {
      const log = await this.#fleet.log(name);
      for (const line of log.split('\n')) {
        const time = /"time":"([^"]+)"/.exec(line)?.[1];
        const record = time && recordOfLogLine(line, name, Date.parse(time) + offsetMs);
        if (record) records.push(record);
      }
    }
    return records;
  }

  async #placed(records: readonly CampaignRecord[]): Promise<CampaignRecord[]> {
    const acknowledged = records.flatMap((record) => (record.type === 'acknowledged' ? [record.stream] : []));
    let held = new Map<number, string>();
    await eventually(10_000, 'nginx to log every stream', async () => {
      held = this.#whereabouts.read(await this.#fleet.log('nginx'), records);
      return acknowledged.every((stream) => held.has(stream));
    });
    return records.map((record) => {
      return record.type === 'asked' ? { ...record, instance: held.get(record.stream) ?? record.instance } : record;
    });
  }
}
