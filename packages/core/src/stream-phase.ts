import type { CloseReason } from './close-reason.ts';

/** Where a stream is in its life; changes held while `opening` follow the acknowledgement. */
export type StreamState =
  | { readonly phase: 'opening' }
  | { readonly phase: 'live' }
  | { readonly phase: 'closing'; readonly reason: CloseReason }
  | { readonly phase: 'closed'; readonly reason: CloseReason };

export type StreamInput =
  /** The broker confirmed: a change from now on is certain to arrive. */
  | { readonly type: 'attached' }
  /** This instance ends the stream. */
  | { readonly type: 'end'; readonly reason: CloseReason }
  /** The response is over: its last byte left, or the host did. */
  | { readonly type: 'gone' };

export const OPENING: StreamState = { phase: 'opening' };
const LIVE: StreamState = { phase: 'live' };

/** The next state of a stream; an input that comes too late changes nothing. */
export function step(state: StreamState, input: StreamInput): StreamState {
  switch (state.phase) {
    case 'opening':
      if (input.type === 'attached') return LIVE;
      // No byte was sent: there is nothing to flush, and the request can still be answered with an error.
      return { phase: 'closed', reason: input.type === 'gone' ? 'host-gone' : input.reason };
    case 'live':
      if (input.type === 'gone') return { phase: 'closed', reason: 'host-gone' };
      return input.type === 'end' ? { phase: 'closing', reason: input.reason } : state;
    case 'closing':
      if (input.type === 'gone') return { phase: 'closed', reason: state.reason };
      return input.type === 'end' ? { phase: 'closing', reason: input.reason } : state;
    case 'closed':
      return state;
    default:
      return assertNever(state);
  }
}

function assertNever(state: never): never {
  throw new Error(`unknown phase ${JSON.stringify(state)}`);
}
