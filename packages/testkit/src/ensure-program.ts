import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How long a test's `beforeAll` must allow for a program that is not there yet. */
export const INSTALL_MS = 300_000;

/**
 * The path of a program that tests start: found on PATH, else installed where this may be done unasked (root on
 * Debian), else an error with the one line that would fix it. Never a reason to skip a test.
 */
export async function ensureProgram(name: string, from: { readonly apt: string }): Promise<string> {
  const found = findProgram(name);
  if (found) return found;
  if (!isRootOnDebian()) {
    throw new Error(
      `${name} is not on PATH; install it with: sudo apt-get install -y --no-install-recommends ${from.apt}`,
    );
  }
  console.warn(`${name} is not on PATH: installing Debian's ${from.apt} with apt-get, its service stays off`);
  // The lock makes a second test worker wait and then find the program; `sh` looks again once it holds the lock.
  await run('flock', ['/tmp/listen-gateway-apt.lock', 'sh', '-ec', INSTALL, 'sh', name, from.apt], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: INSTALL_MS,
  });
  const installed = findProgram(name);
  if (installed) return installed;
  throw new Error(`Debian's package ${from.apt} brought no ${name}`);
}

// policy-rc.d is how Debian is told not to start a service at installation. A failed update is no failure as long as
// the lists of an earlier one name the package.
const INSTALL = `
  command -v "$1" >/dev/null && exit 0
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\\nexit 101\\n' >"$policy"
    chmod +x "$policy"
  fi
  apt-get update -qq >&2 || echo 'apt-get update failed; going on with the lists that are there' >&2
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=240 "$2" >&2
`;

/** Where PATH has a program, if it has; servers live in /usr/sbin, which the PATH of an ordinary user lacks. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isRootOnDebian(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && findProgram('apt-get') !== undefined;
}
