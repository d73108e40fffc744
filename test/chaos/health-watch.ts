import { nowMs, type WorldRecord } from './records.ts';

/** What answers on an admin port. */
export interface Asked {
  readonly name: string;
  readonly adminUrl: string;
}

const EVERY_MS = 500;
const LIMIT_MS = 5_000;

/** Asks services how they are, again and again. */
export class HealthWatch {
  readonly #record: (record: WorldRecord) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #asking = new Set<Asked>();

  constructor(services: readonly Asked[], record: (record: WorldRecord) => void) {
    this.#record = record;
    this.#timer = setInterval(() => {
      for (const service of services) void this.#ask(service);
    }, EVERY_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #ask(service: Asked): Promise<void> {
    if (this.#asking.has(service)) return;
    this.#asking.add(service);
    const askedAt = nowMs();
    const [live, ready] = await Promise.all([adminStatus(service, '/livez'), adminStatus(service, '/readyz')]);
    this.#asking.delete(service);
    this.#record({ type: 'health', at: nowMs(), service: service.name, askedAt, live, ready });
  }
}

/** The status that a path of the admin port answers with; 0 where nobody does. */
export async function adminStatus({ adminUrl }: Asked, path: '/livez' | '/readyz'): Promise<number> {
  try {
    const response = await fetch(`${adminUrl}${path}`, { signal: AbortSignal.timeout(LIMIT_MS) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
