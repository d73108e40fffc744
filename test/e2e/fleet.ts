/** What an operator runs, in whatever way: two instances behind a load balancer, a publisher, a Redis, the sample server. */
export interface Fleet {
  /** Where hosts connect: the server `default`, behind the load balancer. */
  readonly url: string;
  readonly instances: readonly [FleetInstance, FleetInstance];
  /** Publishes to the server `default`, as a backend does; resolves with the parsed answer. */
  publish(...changes: readonly object[]): Promise<PublishAnswer>;
  /** Ends Redis and starts it again without anything that it knew. */
  restartRedis(): Promise<void>;
}

export interface FleetInstance {
  /** How many streams it holds now. */
  streams(): Promise<number>;
  /** Stops it and starts it again, as a deploy does; resolves with its exit code once it is ready. */
  restart(): Promise<number | string>;
}

export interface PublishAnswer {
  readonly status: number;
  readonly receipts: readonly { readonly journalId: string; readonly instances: number }[];
}

/** Publishes to the server `default` at a publisher. */
export async function publishAt(publisherUrl: string, changes: readonly object[]): Promise<PublishAnswer> {
  const response = await fetch(`${publisherUrl}/v1/servers/default/changes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ changes }),
  });
  const { receipts = [] } = (await response.json()) as Partial<PublishAnswer>;
  return { status: response.status, receipts };
}
