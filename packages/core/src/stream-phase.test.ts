import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLOSE_REASONS, ENDS_WITH_RESULT } from './close-reason.ts';
import { OPENING, type StreamInput, type StreamState, step } from './stream-phase.ts';

const live: StreamState = { phase: 'live' };
const closing: StreamState = { phase: 'closing', reason: 'drain' };
const closed: StreamState = { phase: 'closed', reason: 'drain' };
const attached: StreamInput = { type: 'attached' };
const end: StreamInput = { type: 'end', reason: 'slow-host' };
const gone: StreamInput = { type: 'gone' };

describe('the phase of a stream', () => {
  it.each<[StreamState, StreamInput, StreamState]>([
    [OPENING, attached, { phase: 'live' }],
    [OPENING, end, { phase: 'closed', reason: 'slow-host' }],
    [OPENING, gone, { phase: 'closed', reason: 'host-gone' }],
    [live, attached, live],
    [live, end, { phase: 'closing', reason: 'slow-host' }],
    [live, gone, { phase: 'closed', reason: 'host-gone' }],
    [closing, attached, closing],
    [closing, end, { phase: 'closing', reason: 'slow-host' }],
    [closing, gone, { phase: 'closed', reason: 'drain' }],
    [closed, attached, closed],
    [closed, end, closed],
    [closed, gone, closed],
  ])('steps from %j by %j to %j', (state, input, next) => {
    expect(step(state, input)).toEqual(next);
  });

  it('never goes back, and keeps the reason that it closed for', () => {
    const order = ['opening', 'live', 'closing', 'closed'];
    const input = fc.oneof(
      fc.constant(attached),
      fc.constant(gone),
      fc.constantFrom(...CLOSE_REASONS).map((reason): StreamInput => ({ type: 'end', reason })),
    );
    fc.assert(
      fc.property(fc.array(input), (inputs) => {
        let state = OPENING;
        for (const input of inputs) {
          const next = step(state, input);
          expect(order.indexOf(next.phase)).toBeGreaterThanOrEqual(order.indexOf(state.phase));
          if (state.phase === 'closed') expect(next).toBe(state);
          state = next;
        }
      }),
    );
  });

  it('is always closed once the response is over', () => {
    for (const state of [OPENING, live, closing, closed]) expect(step(state, gone).phase).toBe('closed');
  });
});

describe('the result of the listen', () => {
  it('is sent where a stream ends gracefully, and in no other case (P-1.8, P-1.13, SUB-10)', () => {
    expect(CLOSE_REASONS.filter((reason) => ENDS_WITH_RESULT[reason]).toSorted()).toEqual(['drain', 'nothing-honored']);
  });
});
