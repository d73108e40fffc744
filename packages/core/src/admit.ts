/** How many streams are open, those still opening included. */
export interface StreamCounts {
  readonly onInstance: number;
  readonly forPrincipal: number;
}

export interface StreamLimits {
  readonly streamsPerInstance: number;
  readonly streamsPerPrincipal: number;
}

/** Why a listen is refused before a byte is streamed; metric label and log field. */
export type Refusal =
  | 'instance-full'
  | 'principal-full'
  /** As many streams as one address may have whose hosts are not authenticated. */
  | 'address-full'
  /** Listens came faster than they may. */
  | 'too-many-opens'
  | 'draining'
  | 'broker-unavailable'
  /** The credential expired, or was revoked, while the broker was confirming. */
  | 'unauthorized'
  /** What the principal may watch could not be found out. */
  | 'authorizer-unavailable';

export const REFUSALS: readonly Refusal[] = [
  'instance-full',
  'principal-full',
  'address-full',
  'too-many-opens',
  'draining',
  'broker-unavailable',
  'unauthorized',
  'authorizer-unavailable',
];

/** Decides only; the caller opens the stream and updates the counts. */
export function admit(open: StreamCounts, limits: StreamLimits): Refusal | 'admitted' {
  if (open.onInstance >= limits.streamsPerInstance) return 'instance-full';
  if (open.forPrincipal >= limits.streamsPerPrincipal) return 'principal-full';
  return 'admitted';
}
