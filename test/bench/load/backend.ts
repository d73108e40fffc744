import type { LoadOptions } from './load-options.ts';

/** Publishes changes of a server. */
export interface Backend {
  /** Resolves with how many instances it was handed to; rejects with what the publisher said instead. */
  publish(uri: string): Promise<number>;
}

type BackendOptions = Pick<LoadOptions, 'changes' | 'publisherToken' | 'withinMs'>;

export function openBackend({ changes, publisherToken, withinMs }: BackendOptions): Backend {
  const headers = {
    'Content-Type': 'application/json',
    ...(publisherToken !== undefined && { Authorization: `Bearer ${publisherToken}` }),
  };
  return {
    publish: async (uri) => {
      const body = JSON.stringify({ method: 'notifications/resources/updated', params: { uri } });
      const signal = AbortSignal.timeout(withinMs);
      const response = await fetch(changes, { method: 'POST', headers, body, signal });
      const text = await response.text();
      if (response.status !== 202) throw new Error(`the publisher answered ${response.status}: ${text.slice(0, 400)}`);
      const { receipts } = JSON.parse(text) as { receipts: readonly { instances: number }[] };
      return receipts[0]?.instances ?? 0;
    },
  };
}
