import type { Filter } from '@listen-gateway/protocol';

/**
 * What the processes of a campaign saw, each for itself, in milliseconds of the machine's monotonic clock, which is one
 * for all of them. Facts only: the checker decides.
 */
export type CampaignRecord = HostRecord | BackendRecord | WorldRecord;

/** The change key: a kind of list, `uri:` and the URI, or `task:` and the task id. */
export type ChangeKey = string;

interface At {
  readonly at: number;
}

interface OnStream extends At {
  /** Numbers the attempts to listen; never the host's subscription id. */
  readonly stream: number;
}

export type HostRecord =
  | (OnStream & {
      readonly type: 'asked';
      readonly instance: string;
      readonly server: string;
      /** The request id as JSON text, because `1` and `"1"` differ. */
      readonly id: string;
      readonly requested: Filter;
    })
  | (OnStream & { readonly type: 'acknowledged'; readonly tag: string; readonly honored: Filter })
  | (OnStream & { readonly type: 'notified'; readonly tag: string; readonly key: ChangeKey; readonly seq?: number })
  /** The listen's result. */
  | (OnStream & { readonly type: 'completed'; readonly tag: string; readonly id: string })
  | (OnStream & { readonly type: 'ended'; readonly how: Ending })
  | (OnStream & { readonly type: 'refused'; readonly status: number; readonly retryAfterS: number | undefined })
  /** No connection, or none that brought an answer. */
  | (OnStream & { readonly type: 'unreachable'; readonly why: string })
  /** The host reads nothing from now on; reads again. */
  | (OnStream & { readonly type: 'stalled' | 'resumed' })
  /** What no listen stream may hold. */
  | (OnStream & { readonly type: 'garbled'; readonly text: string });

/** `left`: by the host's own will. */
export type Ending = 'complete' | 'cut' | 'left';

export interface PublishedChange {
  readonly key: ChangeKey;
  /** Counts the states of a task. */
  readonly seq?: number;
  readonly terminal?: boolean;
}

export type BackendRecord =
  | (At & {
      readonly type: 'published';
      readonly attempt: number;
      /** The same for every attempt under one idempotency key: all of them together publish at most once. */
      readonly publish: number;
      readonly publisher: string;
      readonly server: string;
      readonly changes: readonly PublishedChange[];
    })
  | (At & {
      readonly type: 'answered';
      readonly attempt: number;
      readonly status: number;
      readonly replayed: boolean;
      readonly retryAfterS: number | undefined;
    })
  | (At & { readonly type: 'unanswered'; readonly attempt: number; readonly why: string });

/** What a fault takes away while it lasts. */
export interface Effects {
  /** These services cannot reach Redis; `noticedMs` says when they must know. */
  readonly cutOff?: { readonly services: readonly string[]; readonly noticedMs: number };
  /** Instances may have to announce a gap. */
  readonly mayGap?: boolean;
  /** What shows that the fault was one. */
  readonly evidence?: string;
}

export interface FaultRecord extends At {
  readonly type: 'fault';
  readonly number: number;
  readonly name: string;
  readonly injectedAt: number;
  readonly healAt: number;
  readonly healedAt: number;
  /** When every instance had proven that it is whole again; undefined where that took too long. */
  readonly settledAt: number | undefined;
  readonly effects: Effects;
}

export type WorldRecord =
  | FaultRecord
  /** At `at`, the instance had delivered a beacon published after `since` on every server: what is older came before. */
  | (At & { readonly type: 'settled'; readonly instance: string; readonly since: number })
  /** It had not, or was not ready, by the limit. */
  | (At & { readonly type: 'unsettled'; readonly service: string; readonly since: number })
  | (At & {
      readonly type: 'health';
      readonly service: string;
      readonly askedAt: number;
      readonly live: number;
      readonly ready: number;
    })
  /** The campaign takes a service away, or has it back. */
  | (At & { readonly type: 'stopped'; readonly service: string; readonly how: 'killed' | 'terminated' | 'frozen' })
  | (At & { readonly type: 'running'; readonly service: string })
  | (At & {
      readonly type: 'exited';
      readonly service: string;
      readonly how: number | string;
      readonly wanted: boolean;
    })
  /** From the log of an instance. */
  | (At & { readonly type: 'gap'; readonly instance: string; readonly server: string })
  | (At & { readonly type: 'caught-up'; readonly instance: string; readonly server: string; readonly missed: number })
  | (At & { readonly type: 'closed'; readonly instance: string; readonly reason: string })
  /** Nothing is watched any more. */
  | (At & { readonly type: 'over' });

/** Now, on the clock that all processes of this machine share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
