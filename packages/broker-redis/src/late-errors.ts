import type { Redis } from 'ioredis';

/**
 * ioredis listens to the first error of a socket alone. A TLS handshake that fails while it is being given up has two,
 * and the second would end the process. To be called before a client is disconnected.
 */
export function ignoreLateErrors(client: Redis): void {
  // There is none before the first attempt to connect.
  const stream: Redis['stream'] | undefined = client.stream;
  stream?.on('error', ignore);
}

function ignore(): void {}
