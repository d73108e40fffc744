import type { HttpBindings } from '@hono/node-server';
import type { Clock, Random, Streams } from '@listen-gateway/core';
import type { FilterLimits, ServerId, TraceContext } from '@listen-gateway/protocol';
import type { Guard } from '@listen-gateway/service-kit';
import type { Context } from 'hono';
import type { HostLimits } from '../limits/host-limits.ts';
import type { LostHosts } from '../lost-hosts/lost-hosts.ts';
import type { Server } from '../servers.ts';
import type { ExchangeOutcome } from '../upstream/exchange.ts';
import type { TrustedProxies } from './trusted-proxies.ts';
import type { Turnstile } from './turnstile.ts';

/** What the MCP endpoint works with. */
export interface EndpointOptions {
  readonly streams: Streams;
  readonly lostHosts: LostHosts;
  readonly servers: ReadonlyMap<ServerId, Server>;
  readonly guard: Guard;
  /** The URL that hosts reach the gateway by, where it is configured. */
  readonly publicUrl: string | undefined;
  readonly proxies: TrustedProxies;
  readonly hostLimits: HostLimits;
  /** What every listen waits at. */
  readonly listens: Turnstile;
  readonly limits: FilterLimits & { readonly bodyBytes: number };
  readonly clock: Clock;
  readonly random: Random;
  /** Told of each answer of the gateway's own that is none of what was asked for. */
  readonly onRefused: (status: number) => void;
  /**
   * Told how each forwarded request ended, how long it took unless it asked for a stream of its session, and the trace
   * that it is recorded in.
   */
  readonly onExchange: (
    serverId: ServerId,
    outcome: ExchangeOutcome,
    tookMs: number | undefined,
    trace: TraceContext | undefined,
  ) => void;
  /** Told of what no request should be able to cause. */
  readonly onFault: (error: unknown) => void;
}

/** Node's own request and response under Hono's. */
export interface EndpointEnv {
  Bindings: HttpBindings;
}

/** What answers are made from; a request that went past the router has nothing else. */
export type EndpointContext = Pick<Context<EndpointEnv>, 'env'>;
