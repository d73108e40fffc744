import type { Problem as MemberProblem } from '@listen-gateway/protocol';

/** Why a request is refused: the problem's type, and the label under which it is counted. */
export type Reason = keyof typeof REASONS;

const REASONS = {
  'malformed-body': { status: 400, title: 'The body cannot be read' },
  'invalid-changes': { status: 400, title: 'The body holds something that is no change' },
  'invalid-disconnect': { status: 400, title: 'The body does not say what to disconnect' },
  'invalid-idempotency-key': { status: 400, title: 'The Idempotency-Key cannot be used' },
  unauthenticated: { status: 401, title: 'Nobody is known by this credential' },
  'not-permitted': { status: 403, title: 'The credential is not good for this' },
  'host-not-allowed': { status: 403, title: 'The Host or Origin is not let in' },
  'not-found': { status: 404, title: 'There is nothing here' },
  'unknown-server': { status: 404, title: 'There is no such server' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body is not JSON' },
  'undeliverable-changes': { status: 422, title: 'A change could reach nobody' },
  'no-principals': { status: 422, title: 'A server has no authenticated hosts' },
  'idempotency-key-reused': { status: 422, title: 'The Idempotency-Key was used for other changes' },
  'too-many-requests': { status: 429, title: 'There were too many requests' },
  'internal-error': { status: 500, title: 'The publisher failed' },
  'broker-unavailable': { status: 503, title: 'The changes could not be published' },
  'issuer-unavailable': { status: 503, title: 'The credential cannot be verified' },
} as const;

export const ALL_REASONS = Object.keys(REASONS) as readonly Reason[];

/** A refusal, as it is decided; `detail` says what is wrong with this request and how to mend it. */
export interface Refusal {
  readonly reason: Reason;
  readonly detail: string;
  /** By member of the body. */
  readonly problems?: readonly MemberProblem[];
}

/** RFC 9457 problem details. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** A thousand changes can each be wrong in several places; a backend mends the first ones first. */
const LISTED_ERRORS = 100;

export function statusOf(reason: Reason): (typeof REASONS)[Reason]['status'] {
  return REASONS[reason].status;
}

export function titleOf(reason: Reason): string {
  return REASONS[reason].title;
}

/** The body of the answer to a refused request. */
export function problemDetails({ reason, detail, problems = [] }: Refusal): ProblemDetails {
  const errors = problems.slice(0, LISTED_ERRORS).map(({ path, message }) => ({
    pointer: `#${path.map((key) => `/${pointerToken(key)}`).join('')}`,
    detail: message,
  }));
  const unlisted = problems.length - errors.length;
  return {
    type: `urn:listen-gateway:problem:${reason}`,
    ...REASONS[reason],
    detail: unlisted > 0 ? `${detail}; ${unlisted} more problems are not listed` : detail,
    ...(errors.length > 0 && { errors }),
  };
}

/** RFC 6901, sections 3 and 6: a reference token within a URI fragment. */
function pointerToken(key: string | number): string {
  const escaped = String(key).replaceAll('~', '~0').replaceAll('/', '~1');
  return encodeURIComponent(escaped.toWellFormed());
}
