import type { CampaignRecord } from '../chaos/records.ts';
import type { ComposeInstance } from './compose-instance.ts';

interface Sighting {
  readonly address: string;
  readonly instance: string;
  readonly since: number;
}

/** A request as nginx' log has it: the number that `numbered` endpoints get, and who answered last of all it asked. */
const LOGGED = /"POST \S+\?stream=(\d+) [^"]*" .* "(?:[^"]*, )?([\d.]+):\d+" "[^"]*"$/;

/** Finds out which instance held a stream, which hosts behind a load balancer cannot know, from the log of nginx. */
export class Whereabouts {
  readonly #sightings: Sighting[] = [];

  /** To be called whenever an instance may have come back at another address. */
  async look(instances: readonly ComposeInstance[], since: number): Promise<void> {
    for (const instance of instances) {
      this.#sightings.push({ address: await instance.address(), instance: instance.name, since });
    }
  }

  /** The instance of each stream that the log tells of, by its number. */
  read(log: string, records: readonly CampaignRecord[]): Map<number, string> {
    const asked = new Map(records.flatMap((one) => (one.type === 'asked' ? [[one.stream, one.at] as const] : [])));
    const held = new Map<number, string>();
    for (const line of log.split('\n')) {
      const [, number, address] = LOGGED.exec(line) ?? [];
      const stream = Number(number);
      const at = asked.get(stream);
      if (at === undefined) continue;
      const seen = this.#sightings.findLast((one) => one.address === address && one.since <= at);
      if (seen !== undefined) held.set(stream, seen.instance);
    }
    return held;
  }
}
