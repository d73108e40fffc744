import { readFileSync } from 'node:fs';

/** What the machine lets one process have; undefined where it does not say. */
export interface MachineLimits {
  readonly openFiles: number | undefined;
  /** Ports for connections to one address and port of a gateway. */
  readonly ports: number | undefined;
}

/** Of this process, as Linux tells it; Node has raised its soft limit of open files to the hard one. */
export function readMachineLimits(): MachineLimits {
  const files = /^Max open files\s+(\d+)/m.exec(readOrNothing('/proc/self/limits'))?.[1];
  const [first, last] = readOrNothing('/proc/sys/net/ipv4/ip_local_port_range').trim().split(/\s+/).map(Number);
  return {
    openFiles: files === undefined ? undefined : Number(files),
    ports: first === undefined || last === undefined ? undefined : last - first + 1,
  };
}

/** What so many streams need beyond it, and what to do about it. */
export function limitProblems(streams: number, { openFiles, ports }: MachineLimits): readonly string[] {
  const problems: string[] = [];
  const files = streams + SPARE;
  if (openFiles !== undefined && files > openFiles) {
    problems.push(
      `--streams: ${streams} need ${files} open files, this process may have ${openFiles}: ulimit -n ${files}`,
    );
  }
  if (ports !== undefined && files > ports) {
    problems.push(
      `--streams: ${streams} need ${files} ports to one address, this machine has ${ports}: ` +
        'sysctl -w net.ipv4.ip_local_port_range="1024 65535", or run the test on several machines',
    );
  }
  return problems;
}

/** Files and ports for what is no stream: the publisher's connections, the program itself. */
const SPARE = 64;

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
