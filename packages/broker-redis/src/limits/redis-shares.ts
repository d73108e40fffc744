import type { StreamShares } from '@listen-gateway/core';
import { isReply } from '../reply-error.ts';
import { holderDigest } from './holder-digest.ts';
import type { LimitsClient } from './limits-client.ts';
import { LocalShares } from './local-shares.ts';
import { CLAIM_LUA, RENEW_LUA } from './shares-script.ts';

export interface RedisSharesOptions {
  readonly prefix: string;
  /** Of this run of the process: a restarted one has none of the streams of the one before. */
  readonly instanceId: string;
  readonly leaseMs: number;
}

/**
 * The streams of all instances. Each keeps its own counts in one hash that lives as long as its lease: what a killed
 * instance held is gone with it, and nothing has to be subtracted. An instance writes the counts that it has, never
 * differences, so that a command that failed is made good by the next one.
 */
export class RedisShares implements StreamShares {
  readonly #client: LimitsClient;
  readonly #options: RedisSharesOptions;
  readonly #instances: string;
  readonly #own: string;
  readonly #local = new LocalShares();
  /** Holders whose count Redis may not have. */
  readonly #unwritten = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #writing = false;
  #allUnwritten = false;

  constructor(client: LimitsClient, options: RedisSharesOptions) {
    this.#client = client;
    this.#options = options;
    // One hash tag, so one slot: the script reads the counts of all instances in one step.
    this.#instances = `${options.prefix}{streams}:instances`;
    this.#own = `${this.#instances}:${options.instanceId}`;
    client.defineCommand('claimStream', { numberOfKeys: 2, lua: CLAIM_LUA });
    client.defineCommand('renewLease', { numberOfKeys: 2, lua: RENEW_LUA });
    client.on('ready', this.#renew);
    this.#timer = setInterval(this.#renew, options.leaseMs / 3).unref();
  }

  async claim(name: string, limit: number): Promise<boolean> {
    const holder = holderDigest(name);
    if (this.#local.count(holder) >= limit) return false;
    // Counted before the answer: two claims that wait together must not both take the last place.
    this.#local.add(holder, 1);
    if (await this.#mayHave(holder, this.#local.count(holder), limit)) return true;
    this.#put(holder, -1);
    return false;
  }

  release(name: string): void {
    this.#put(holderDigest(name), -1);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#client.off('ready', this.#renew);
    const leave = this.#client.multi().del(this.#own).zrem(this.#instances, this.#options.instanceId).exec();
    // Else the lease runs out.
    await leave.catch(() => {});
  }

  async #mayHave(holder: string, count: number, limit: number): Promise<boolean> {
    const { instanceId, leaseMs } = this.#options;
    try {
      const verdict = await this.#client.claimStream(
        this.#instances,
        this.#own,
        instanceId,
        leaseMs,
        holder,
        count,
        limit,
      );
      return verdict === 1;
    } catch {
      this.#unwritten.add(holder);
      return true;
    }
  }

  #put(holder: string, streams: number): void {
    this.#local.add(holder, streams);
    this.#unwritten.add(holder);
    if (this.#writing) return;
    this.#writing = true;
    // Once for all that end in this turn, as they do at a drain.
    setImmediate(() => void this.#write());
  }

  async #write(): Promise<void> {
    this.#writing = false;
    const holders = this.#allUnwritten ? [...this.#local.all.keys()] : [...this.#unwritten];
    this.#unwritten.clear();
    // In one step: a claim in between would find none of the streams.
    const batch = this.#client.multi();
    if (this.#allUnwritten) batch.del(this.#own);
    this.#allUnwritten = false;
    for (const holder of holders) {
      const count = this.#local.count(holder);
      if (count > 0) batch.hset(this.#own, holder, count);
      else batch.hdel(this.#own, holder);
    }
    batch.pexpire(this.#own, this.#options.leaseMs);
    const results = await batch.exec().catch(() => null);
    if (results === null || results.some(([error]) => error !== null)) this.#allUnwritten = true;
  }

  readonly #renew = (): void => {
    const { instanceId, leaseMs } = this.#options;
    this.#client.renewLease(this.#instances, this.#own, instanceId, leaseMs).then(
      (known) => {
        // Redis was away for longer than the lease, or lost its data, or did not take a write.
        if (known === 0 && this.#local.all.size > 0) this.#allUnwritten = true;
        if (this.#allUnwritten || this.#unwritten.size > 0) void this.#write();
      },
      (cause) => {
        // It looks well and does not answer: another connection may be better.
        if (!isReply(cause) && this.#client.status === 'ready') this.#client.disconnect(true);
      },
    );
  };
}
