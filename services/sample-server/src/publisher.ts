import { type Change, changeJson } from '@listen-gateway/protocol';

/** Where a sample server publishes its changes, and as which server. */
export interface PublisherTarget {
  readonly url: string;
  readonly serverId: string;
  /** A credential for it, where it asks for one. */
  readonly key?: string | undefined;
}

/** What became of a change that was to be published. */
type PublishOutcome = 'published' | 'no-publisher' | 'failed';

/** Tells the publisher of a change, so that the hosts that listen at the gateway hear of it. */
export interface Publisher {
  /**
   * Never rejects and answers within `PUBLISH_TIMEOUT_MS`: the change has happened whether or not it could be told,
   * and a tool call that hung on the publisher would make the backend depend on it.
   */
  publish(change: Change): Promise<PublishOutcome>;
}

const PUBLISH_TIMEOUT_MS = 2_000;

/** Publishes over the publisher's HTTP API; without a target, changes stay untold. Failures go to `report`. */
export function openPublisher(target: PublisherTarget | undefined, report: (failure: Error) => void): Publisher {
  if (!target) return { publish: async () => 'no-publisher' };
  const endpoint = new URL(`/v1/servers/${encodeURIComponent(target.serverId)}/changes`, target.url);
  return {
    async publish(change) {
      try {
        await post(endpoint, changeJson(change), target.key);
        return 'published';
      } catch (cause) {
        report(new Error(`could not publish a ${change.kind} change to ${endpoint}`, { cause }));
        return 'failed';
      }
    },
  };
}

async function post(endpoint: URL, body: string, key: string | undefined): Promise<void> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body,
    signal: AbortSignal.timeout(PUBLISH_TIMEOUT_MS),
  });
  const answer = await response.text();
  if (response.status !== 202) throw new Error(`the publisher answered ${response.status}: ${answer.slice(0, 500)}`);
}
