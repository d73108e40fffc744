/** One clause that this product keeps, said in our own words; its id stands in the name of each test that shows it. */
export type Requirement = {
  readonly id: string;
  readonly says: string;
} & (
  | {
      /** The version from which on it is kept and tested. */
      readonly since: string;
      /** The part of it that is not kept yet, and what brings it. */
      readonly rest?: string;
    }
  | {
      /** Why no test cites it yet: what brings it. */
      readonly later: string;
    }
);

const STDIO = 'comes with the stdio bridge';
const ERA_2025 = 'comes with hosts of the 2025 era';
const CONNECTOR = 'comes with the connector that listens to upstreams';

/** P: what MCP revision 2026-07-28 and the Tasks extension ask of a server that serves listens. */
const protocol: readonly Requirement[] = [
  { id: 'P-1.1', since: '0.1.0', says: 'A posted listen is answered 200 with an event stream that stays open.' },
  {
    id: 'P-1.2',
    since: '0.1.0',
    says: 'A listen needs a filter; what the filter leaves out or denies is not asked for.',
  },
  { id: 'P-1.3', since: '0.1.0', says: 'The first message is the acknowledgement, and names what was honored.' },
  {
    id: 'P-1.4',
    since: '0.1.0',
    says: 'Every message is tagged with the id of the listen, in its JSON type and value.',
  },
  { id: 'P-1.5', since: '0.1.0', says: 'A stream brings the kinds it was granted, and no progress or log message.' },
  {
    id: 'P-1.6',
    since: '0.1.0',
    says: 'Streams are independent even where their ids are equal, of one host or of several.',
  },
  { id: 'P-1.7', since: '0.1.0', says: 'A host ends its stream by closing it, never by posting a cancellation.' },
  {
    id: 'P-1.8',
    since: '0.1.0',
    says: 'A graceful end is the result of the listen, whole, and then the end of the response.',
  },
  {
    id: 'P-1.9',
    since: '0.1.0',
    rest: STDIO,
    says: 'Over HTTP the result alone announces the end, no cancellation with it.',
  },
  { id: 'P-1.10', since: '0.1.0', says: 'Nothing is replayed: no event ids, no session ids.' },
  {
    id: 'P-1.11',
    since: '0.1.0',
    says: 'A URI stands for itself, and for what is beneath it where the server opted in.',
  },
  {
    id: 'P-1.12',
    later: STDIO,
    says: 'On stdio several subscriptions share the channel, and each is cancelled by its id.',
  },
  {
    id: 'P-1.13',
    since: '0.1.0',
    says: 'A listen of which nothing is honored is acknowledged with {} and completed at once.',
  },
  {
    id: 'P-2.1',
    since: '0.1.0',
    says: 'The endpoint takes POST alone, and says so in Allow; session headers mean nothing.',
  },
  {
    id: 'P-2.2',
    since: '0.1.0',
    says: 'A body is one request or notification: no batch, no response, nothing but JSON.',
  },
  {
    id: 'P-2.3',
    since: '0.1.0',
    says: 'A notification is accepted with an empty 202 or refused with a 4xx, never answered.',
  },
  {
    id: 'P-2.4',
    since: '0.1.0',
    says: 'The mirrored headers must be there and equal the body; a refusal names the header.',
  },
  { id: 'P-2.5', since: '0.1.0', says: 'A request carries its version and the capabilities of its client in _meta.' },
  { id: 'P-2.6', since: '0.1.0', says: 'A version that is not spoken is refused with the ones that are.' },
  { id: 'P-2.7', since: '0.1.0', says: 'A method that nobody serves gets 404 and an error with the id.' },
  {
    id: 'P-2.8',
    since: '0.1.0',
    says: 'Accept must admit JSON and event streams; wildcards admit, a quality of 0 does not.',
  },
  {
    id: 'P-2.9',
    since: '0.1.0',
    says: 'Origins and, on loopback, hosts that are not allowed get 403; an empty list allows none.',
  },
  {
    id: 'P-2.10',
    since: '0.1.0',
    says: 'A stream asks not to be buffered, cached or transformed, and is flushed at once.',
  },
  {
    id: 'P-2.11',
    since: '0.1.0',
    says: 'What is forwarded keeps its body, and headers that we do not know.',
  },
  { id: 'P-2.12', since: '0.1.0', says: 'server/discover announces just what a listen would be granted.' },
  { id: 'P-2.13', since: '0.1.0', says: 'No error code is used that the specification reserved and did not define.' },
  { id: 'P-2.14', since: '0.1.0', says: 'An error has the id of its request, or no id member where none was read.' },
  {
    id: 'P-3.1',
    since: '0.1.0',
    says: 'A bearer token for this audience is needed; a challenge says where to get one.',
  },
  {
    id: 'P-3.2',
    since: '0.1.0',
    says: 'The metadata of each protected endpoint stands at its well-known paths.',
  },
  { id: 'P-3.3', since: '0.1.0', says: 'A stream ends with the token that opened it.' },
  { id: 'P-3.4', since: '0.1.0', says: 'A token reaches no upstream that it was not made for.' },
  { id: 'P-4.1', since: '0.1.0', says: 'Task ids need the Tasks capability of the client; the refusal names it.' },
  { id: 'P-4.2', since: '0.1.0', says: 'The acknowledgement lists the tasks that will be reported.' },
  {
    id: 'P-4.3',
    since: '0.1.0',
    says: 'A task is told in full; newer states replace unsent ones, an end is never lost.',
  },
  {
    id: 'P-5',
    since: '0.1.0',
    says: 'Hosts are taken as they are: refused before a stream starts, spared needless refetches.',
  },
];

/** SUB and INS: the points on which implementations differ, and what this one does. */
const register: readonly Requirement[] = [
  {
    id: 'SUB-01',
    since: '0.1.0',
    rest: STDIO,
    says: 'A listen is one long request, whose answer comes at a graceful end only.',
  },
  {
    id: 'SUB-02',
    since: '0.1.0',
    says: 'The filter has three lists, URIs and task ids; what it does not name is never sent.',
  },
  { id: 'SUB-03', since: '0.1.0', says: 'The acknowledgement says what was honored, and its id in _meta alone.' },
  {
    id: 'SUB-04',
    since: '0.1.0',
    says: 'Changes held until the acknowledgement follow it; none is lost, none overtakes.',
  },
  { id: 'SUB-05', since: '0.1.0', rest: ERA_2025, says: 'All messages of a stream carry its id.' },
  { id: 'SUB-06', since: '0.1.0', rest: ERA_2025, says: 'Changes of lists are told on streams that asked for them.' },
  {
    id: 'SUB-07',
    since: '0.1.0',
    says: 'Progress and logs belong to their own request, never to a listen.',
  },
  { id: 'SUB-08', since: '0.1.0', rest: STDIO, says: 'Several subscriptions of one host do not know of each other.' },
  {
    id: 'SUB-09',
    since: '0.1.0',
    rest: STDIO,
    says: 'When a host ends a subscription, all that it held is free at once.',
  },
  { id: 'SUB-10', since: '0.1.0', says: 'A graceful end is the result with the id, then the end of the stream.' },
  {
    id: 'SUB-11',
    since: '0.1.0',
    rest: STDIO,
    says: 'Of the two texts on teardown, HTTP follows the one with the result alone.',
  },
  {
    id: 'SUB-12',
    since: '0.1.0',
    says: 'A listen over HTTP gets a stream or an error, never a 202 and never silence.',
  },
  { id: 'SUB-13', later: ERA_2025, says: 'A listen is accepted from a host of the 2025 era that sends one.' },
  { id: 'SUB-14', later: STDIO, says: 'The bridge remembers nothing of an earlier run.' },
  {
    id: 'SUB-15',
    later: CONNECTOR,
    says: 'One listener for all instances hears each upstream, and comes back after a break.',
  },
  { id: 'SUB-16', later: CONNECTOR, says: 'A changed list refreshes what was cached of it, once for a burst.' },
  { id: 'SUB-17', since: '0.1.0', says: 'Notifications of older revisions are accepted and mean nothing.' },
  { id: 'SUB-18', since: '0.1.0', says: 'What has no id gets no answer; an unknown request does.' },
  {
    id: 'INS-01',
    since: '0.1.0',
    says: 'An instance hears all changes of the servers it has streams for, and no others.',
  },
  {
    id: 'INS-02',
    since: '0.1.0',
    rest: 'doctor finds the hop that cuts',
    says: 'Keepalives bring quiet streams through proxies that cut them.',
  },
  {
    id: 'INS-03',
    since: '0.1.0',
    says: 'A stream ends when its bearer expires, so that the host returns with a fresh one.',
  },
  {
    id: 'INS-04',
    since: '0.1.0',
    says: 'Who may watch a URI is decided at the open, and does not show in what is granted.',
  },
  { id: 'INS-05', since: '0.1.0', says: 'A listen that cannot be held is refused, not opened and closed.' },
  {
    id: 'INS-06',
    since: '0.1.0',
    says: 'Changes are matched against what was honored, not against what was asked for.',
  },
];

export const REQUIREMENTS: readonly Requirement[] = [...protocol, ...register];
