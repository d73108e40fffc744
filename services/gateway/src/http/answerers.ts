/** What a message is to the gateway. */
export type MessageSort = 'listen' | 'discover' | 'cancelled' | 'notification' | 'request' | 'legacy' | 'session';

/** What happens to it. */
export type Answerer = 'listen' | 'discover' | 'accept' | 'forward' | 'refuse';

/** Who answers what, for a server with an upstream and for one alone; docs/who-answers.md says why. */
export const ANSWERERS: Readonly<Record<MessageSort, { readonly withUpstream: Answerer; readonly alone: Answerer }>> = {
  listen: { withUpstream: 'listen', alone: 'listen' },
  discover: { withUpstream: 'discover', alone: 'discover' },
  cancelled: { withUpstream: 'accept', alone: 'accept' },
  notification: { withUpstream: 'forward', alone: 'accept' },
  request: { withUpstream: 'forward', alone: 'refuse' },
  legacy: { withUpstream: 'forward', alone: 'refuse' },
  session: { withUpstream: 'forward', alone: 'refuse' },
};
