import { globSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '@listen-gateway/testkit';

/** A wall clock that can be stepped for the processes which are started with `env`; the monotonic one goes on. */
export interface SteppedClock {
  /** Shows the right time plus this from now on, or from within a second. */
  step(seconds: number): Promise<void>;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** `for`: Redis allocates by jemalloc, which asks for the time before libfaketime is ready; libc's allocator does not. */
export async function openSteppedClock({ for: program }: { readonly for: 'redis' | 'node' }): Promise<SteppedClock> {
  await ensureProgram('faketime', { apt: 'faketime' });
  const variant = program === 'redis' ? 'libfaketime.so.1' : 'libfaketimeMT.so.1';
  const [library] = globSync(`/usr/lib/{,*/}faketime/${variant}`);
  if (library === undefined) throw new Error(`there is no ${variant} beside the program faketime`);
  const dir = await mkdtemp(join(tmpdir(), 'listen-gateway-clock-'));
  const file = join(dir, 'offset');
  const step = async (seconds: number) => {
    // Read at any moment, so it must never be half written.
    await writeFile(`${file}.new`, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
    await rename(`${file}.new`, file);
  };
  await step(0);
  return {
    step,
    env: {
      LD_PRELOAD: program === 'redis' ? `${library} libc.so.6` : library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    close: () => rm(dir, { recursive: true, force: true }),
  };
}
