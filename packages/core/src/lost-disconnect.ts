import type { Clock } from './clock.ts';
import type { Principal } from './principal.ts';

/** How long a disconnect that was lost may go without effect; a credential that expires by then is left alone. */
const LOST_DISCONNECT_MS = 3_600_000;

/** Whether nothing else would soon end the streams of a principal that may have been disconnected unheard. */
export function outlivesDisconnect(principal: Principal | undefined, clock: Clock): boolean {
  if (principal === undefined) return false;
  const { expiresAt = Number.POSITIVE_INFINITY } = principal;
  return expiresAt - clock.now() > LOST_DISCONNECT_MS;
}
