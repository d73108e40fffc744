import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureProgram, findProgram } from './ensure-program.ts';
import { unpackProgram } from './unpacked-program.ts';

/** What the broker is tested with: the redis-server that the machine has or Debian installs, and the newest of Debian 13. */
export const REDIS_PROGRAMS = ['redis', 'redis 8', 'valkey 8'] as const;

export type RedisProgram = (typeof REDIS_PROGRAMS)[number];

/** The path of the program, once it is there: see `ensureProgram` and `unpackProgram`. */
export async function ensureRedis(program: RedisProgram): Promise<string> {
  if (program === 'redis') return ensureProgram('redis-server', { apt: 'redis-server' });
  const [family, version] = program.split(' ') as ['redis' | 'valkey', string];
  const name = `${family}-server`;
  const found = findProgram(name);
  if (found && (await versionOf(found)) >= Number(version)) return found;
  return unpackProgram(name, {
    trixie: name,
    libraries: [`${family}-tools`, ...LIBRARIES],
    elsewhere: `version ${version} or later of ${family}`,
  });
}

async function versionOf(path: string): Promise<number> {
  const { stdout } = await promisify(execFile)(path, ['--version']);
  return Number(/\bv=(\d+)/.exec(stdout)?.[1] ?? 0);
}

const LIBRARIES = [
  ...['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'libjemalloc2', 'liblzf1'],
  ...['libssl3t64', 'libsystemd0', 'libcap2', 'zlib1g', 'libzstd1'],
];
