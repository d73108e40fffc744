import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, INSTALL_MS } from './ensure-program.ts';

const run = promisify(execFile);

/** The package of a program in Debian 13, and how a machine that is not Debian comes by it. */
export interface UnpackedFrom {
  readonly trixie: string;
  /** Packages that it needs, the C library among them, where it is too new for the machine's; it runs by these alone. */
  readonly libraries?: readonly string[];
  readonly elsewhere: string;
}

/**
 * The path of a program that Debian has only from its release 13 on, for whoever did not find it on PATH: fetched as the
 * package of that release and unpacked into the user's cache, where any later test finds it. Nothing is installed, so nobody
 * need be root and no library of the machine's changes. Elsewhere than on Debian an error says what would help.
 */
export async function unpackProgram(name: string, from: UnpackedFrom): Promise<string> {
  const { trixie, libraries = [], elsewhere } = from;
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'listen-gateway', 'debian-13');
  const program = join(folder, trixie, ...(from.libraries ? ['start'] : ['usr', 'bin']), name);
  if (existsSync(program)) return program;
  if (!existsSync('/etc/debian_version') || !findProgram('apt-get')) {
    throw new Error(`${name} is not on PATH; install it: ${elsewhere}`);
  }
  console.warn(`unpacking ${name} of Debian 13's package ${trixie} into ${folder}`);
  await run('sh', ['-ec', UNPACK, 'sh', folder, trixie, ...libraries], { timeout: INSTALL_MS });
  if (existsSync(program)) return program;
  throw new Error(`Debian 13's package ${trixie} brought no ${name}`);
}

// apt with a root of its own: its lists and downloads are that folder's, and the machine's apt knows nothing of them. The
// mirror is the one that this Debian takes its own packages from. The lock makes a second test worker wait and then find
// the package; what is unpacked gets its name last, so that a run that was cut off leaves nothing that looks whole. The
// loader of the C library is what knows where a program's libraries are, so a program that has its own is started by it.
const UNPACK = `
  mkdir -p "$1"
  exec 9>"$1/lock"
  flock 9
  [ ! -d "$1/$2" ] || exit 0
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 -E '/debian(\\.list)?/?$') ||
    { echo "apt names no mirror of Debian" >&2; exit 1; }
  apt=$1/apt
  mkdir -p "$apt/etc/apt/apt.conf.d" "$apt/etc/apt/preferences.d" "$apt/etc/apt/trusted.gpg.d" \\
    "$apt/var/lib/apt/lists/partial" "$apt/var/cache/apt/archives/partial" "$apt/var/lib/dpkg"
  : >"$apt/var/lib/dpkg/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$apt/etc/apt/sources.list"
  cat >"$apt/apt.conf" <<END
Dir "$apt";
Dir::State::status "$apt/var/lib/dpkg/status";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Sandbox::User "";
END
  export APT_CONFIG="$apt/apt.conf"
  [ -n "$(find "$apt" -maxdepth 1 -name updated -mmin -60)" ] || { apt-get update -qq >&2 && touch "$apt/updated"; }
  fresh=$(mktemp -d "$1/unpacking-XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
  folder=$1
  shift
  (cd "$fresh" && apt-get download -qq "$@" >&2)
  for package in "$fresh"/*.deb; do dpkg-deb -x "$package" "$fresh/root"; done
  if [ $# -gt 1 ]; then
    mkdir "$fresh/root/start"
    for program in "$fresh"/root/usr/bin/*; do
      cat >"$fresh/root/start/\${program##*/}" <<'END'
#!/bin/sh
root=\${0%/*}/..
set -- --library-path "$(echo "$root"/usr/lib/*-linux-*)" "$root/usr/bin/\${0##*/}" "$@"
exec "$root"/usr/lib/*-linux-*/ld-linux-*.so.* "$@"
END
    done
    chmod +x "$fresh"/root/start/*
  fi
  mv "$fresh/root" "$folder/$1"
`;
