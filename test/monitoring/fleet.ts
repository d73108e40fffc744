import { openRedisProcess, type ServiceProcess, startService } from '@listen-gateway/testkit';
import { type ExportedSeries, readExposition } from './exported-series.ts';
import type { Fleet } from './query-problems.ts';

/** Starts both services as they are run, and resolves with what each exports from the first moment on. */
export async function scrapeFleet(): Promise<Fleet> {
  const redis = await openRedisProcess();
  const started: ServiceProcess[] = [];
  try {
    const fleet = new Map<string, ExportedSeries>();
    for (const job of ['gateway', 'publisher'] as const) {
      const service = await startService(job, { LG_BROKER__URL: redis.url });
      started.push(service);
      const answer = await fetch(`${service.adminUrl}/metrics`);
      fleet.set(job, readExposition(await answer.text()));
    }
    return fleet;
  } finally {
    for (const service of started) await service.kill();
    await redis.close();
  }
}
