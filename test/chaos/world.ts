import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, openTcpRelay, type TcpRelay } from '@listen-gateway/testkit';
import { type AnyBackbone, type BackboneKind, openBackbone } from './backbone.ts';
import { Beacons } from './beacons.ts';
import { Backends, Hosts } from './crew.ts';
import { type Population, serversSetting } from './population.ts';
import { RecordFile, readRecords } from './record-file.ts';
import { type CampaignRecord, nowMs, type WorldRecord } from './records.ts';
import { Service, type ServiceSetting } from './service.ts';
import { openSteppedClock, type SteppedClock } from './stepped-clock.ts';
import { Watch } from './watch.ts';

export interface InstanceSetting {
  readonly name: string;
  readonly main?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Reaches Redis through a link that faults can break; only a single Redis can be reached so. */
  readonly linked?: boolean;
}

export interface WorldSetting {
  readonly backbone: BackboneKind;
  readonly population: Population;
  readonly instances: readonly InstanceSetting[];
  readonly publishers: number;
  readonly hosts: number;
  /** Hosts that come beside those, all at once, where the fault is a rush of them. */
  readonly surge: number;
  /** Small publishes each second. */
  readonly rate: number;
}

export interface Instance {
  readonly service: Service;
  readonly link: TcpRelay | undefined;
}

/** Everything that a campaign is about, each part a real process. */
export interface World {
  readonly setting: WorldSetting;
  readonly backbone: AnyBackbone;
  readonly instances: readonly Instance[];
  readonly publishers: readonly Service[];
  readonly hosts: Hosts;
  readonly backends: Backends;
  readonly beacons: Beacons;
  /** What instances take for the time. */
  readonly clock: SteppedClock;
  record(record: WorldRecord): void;
  /** Stops what listens and watches, after what publishes was stopped; resolves with all that was recorded. */
  finish(): Promise<CampaignRecord[]>;
  /** Stops everything, whatever state it is in. */
  close(): Promise<void>;
}

/** Short enough for a campaign; the shares between them are those of the defaults. */
const SETTINGS = {
  LG_DRAIN__WINDOW_MS: '1500',
  LG_DRAIN__GRACE_MS: '1500',
  LG_STREAM__STALL_MS: '3000',
  LG_STREAM__KEEPALIVE_MS: '5000',
};

/** Starts all parts; resolves once every host has its stream. */
export async function openWorld(setting: WorldSetting): Promise<World> {
  // Every process of it has a listener that ends it with this one.
  process.setMaxListeners(100);
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    const failures: unknown[] = [];
    for (const closer of closers.splice(0).reverse()) await closer().catch((cause) => failures.push(cause));
    if (failures.length > 0) throw new AggregateError(failures, 'not everything was stopped well');
  };
  try {
    return await open(setting, closers, close);
  } catch (cause) {
    await close().catch(() => {});
    throw cause;
  }
}

async function open(setting: WorldSetting, closers: (() => Promise<void>)[], close: World['close']): Promise<World> {
  const opened = <T extends { close(): Promise<void> }>(part: T): T => {
    closers.push(() => part.close());
    return part;
  };
  const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-chaos-'));
  closers.push(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, 'world.jsonl');
  const records = opened(new RecordFile(path));
  const record = records.write;

  const { population } = setting;
  const backbone = opened(await openBackbone(setting.backbone));
  const clock = opened(await openSteppedClock({ for: 'node' }));
  const env: Readonly<Record<string, string>> = {
    ...SETTINGS,
    ...backbone.env,
    LG_SERVERS: serversSetting(population),
  };
  const start = async (service: ServiceSetting): Promise<Service> => {
    const started = opened(await Service.create(service, record));
    await started.start();
    return started;
  };
  const startInstance = async ({ linked, env: ownEnv, ...instance }: InstanceSetting): Promise<Instance> => {
    const link = linked ? opened(await openTcpRelay(env.LG_BROKER__URL ?? '')) : undefined;
    const linkEnv = link === undefined ? {} : { LG_BROKER__URL: link.url };
    const service = await start({
      ...instance,
      service: 'gateway',
      env: { ...env, ...clock.env, ...linkEnv, ...ownEnv },
    });
    return { service, link };
  };
  const publisherNames = Array.from({ length: setting.publishers }, (_, index) => `publisher-${index + 1}`);
  const [instances, publishers] = await Promise.all([
    Promise.all(setting.instances.map(startInstance)),
    Promise.all(publisherNames.map((name) => start({ name, service: 'publisher', env }))),
  ]);
  const endpoints = instances.map(({ service: { name, port } }) => ({ name, port }));
  const hosts = opened(new Hosts({ population, endpoints, hosts: setting.hosts }, join(dir, 'hosts.jsonl')));
  await eventually(
    60_000,
    'the hosts to have their streams',
    async () => (await hosts.streaming()) >= setting.hosts * 0.95,
  );
  const watch = new Watch([...instances.map(({ service }) => service), ...publishers], record);
  closers.push(async () => watch.close());
  const publisherEndpoints = publishers.map(({ name, url }) => ({ name, url }));
  const beacons = opened(
    new Beacons({ instances: endpoints, publishers: publisherEndpoints, servers: population.servers, record }),
  );
  const traffic = { population, publishers: publisherEndpoints, rate: setting.rate };
  const backends = opened(new Backends(traffic, join(dir, 'backends.jsonl')));
  return {
    setting,
    backbone,
    instances,
    publishers,
    hosts,
    backends,
    beacons,
    clock,
    record,
    finish: async () => {
      record({ type: 'over', at: nowMs() });
      await hosts.close();
      await beacons.close();
      watch.close();
      await records.close();
      return readRecords([path, hosts.recordsPath, backends.recordsPath]);
    },
    close,
  };
}
