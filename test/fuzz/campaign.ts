import fc from 'fast-check';
import type { RawRequest } from './raw-request.ts';

/** What a fuzz run is repeated by: `FUZZ_SEED=… FUZZ_CASES=… npx vitest run --project fuzz`. The one place that reads them. */
const SEED = Number(process.env.FUZZ_SEED || Date.now() % 2 ** 31);
const CASES = Number(process.env.FUZZ_CASES || 20_000);

/** So many requests are under way at once: a service that is confused by one is to be caught while it serves others. */
const AT_ONCE = 16;

/** Sends a share of all cases, and prints the seed by which the same requests come again. */
export async function campaign(
  share: number,
  requests: fc.Arbitrary<RawRequest>,
  send: (request: RawRequest) => Promise<void>,
): Promise<void> {
  const batches = Math.ceil((CASES * share) / AT_ONCE);
  console.log(`${batches * AT_ONCE} cases, FUZZ_SEED=${SEED}`);
  // The odd values are named where they belong; a bias to the edges of each part would leave no request whole.
  const batch = fc.noBias(fc.array(requests, { minLength: AT_ONCE, maxLength: AT_ONCE, size: 'max' }));
  const property = fc.asyncProperty(batch, async (batched) => {
    await Promise.all(batched.map(send));
  });
  await fc.assert(property, {
    seed: SEED,
    numRuns: batches,
    interruptAfterTimeLimit: 300_000,
    markInterruptAsFailure: true,
  });
}
