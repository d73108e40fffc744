import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ensureProgram, within } from '@listen-gateway/testkit';

/** Takes back a rule. */
export type Lift = () => Promise<void>;

/** Which packets of a loopback port are lost without a word to anybody: those to it, those from it. */
export type Direction = 'to' | 'from';

/**
 * Drops packets until lifted. The rule belongs to a shell that takes it back, by its own specification, when its input
 * ends: also where this process is killed before it could.
 */
export async function drop(port: number, directions: readonly Direction[]): Promise<Lift> {
  const iptables = await ensureProgram('iptables', { apt: 'iptables' });
  const program = process.getuid?.() === 0 ? [iptables] : ['sudo', '-n', iptables];
  const keepers: ChildProcess[] = [];
  const lift = async () => {
    await Promise.all(keepers.splice(0).map(takeBack));
  };
  try {
    for (const direction of directions) {
      const port_ = direction === 'to' ? '--dport' : '--sport';
      const rule = ['INPUT', '-i', 'lo', '-p', 'tcp', port_, String(port), '-j', 'DROP'];
      const keeper = spawn('sh', ['-euc', KEEP, 'sh', program.join(' '), ...rule], {
        stdio: ['pipe', 'pipe', 'inherit'],
        // Out of the process group, so that an interrupt from the keyboard does not end it before its rule is gone.
        detached: true,
      });
      keepers.push(keeper);
      await within(10_000, 'the firewall rule', dropping(keeper));
    }
  } catch (cause) {
    await lift();
    throw cause;
  }
  return lift;
}

const KEEP = `
  iptables=$1
  shift
  trap '' INT TERM HUP
  $iptables -w 10 -A "$@"
  echo dropping
  cat >/dev/null || true
  $iptables -w 10 -D "$@"
`;

async function dropping(keeper: ChildProcess): Promise<void> {
  const said = once(keeper.stdout!, 'data');
  const ended = once(keeper, 'exit').then(([code]) => {
    throw new Error(`iptables failed with ${code}`);
  });
  await Promise.race([said, ended]);
  ended.catch(() => {});
}

async function takeBack(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null) return;
  const exit = once(keeper, 'exit');
  keeper.stdin?.end();
  const [code] = await within(15_000, 'the firewall rule to be taken back', exit);
  if (code !== 0) throw new Error(`a firewall rule was not taken back: iptables ended with ${code}`);
}
