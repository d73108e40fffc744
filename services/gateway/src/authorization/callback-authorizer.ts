import { createHash } from 'node:crypto';
import { type Clock, grantOf, narrow } from '@listen-gateway/core';
import { type Filter, FilterSchema, type ServerId } from '@listen-gateway/protocol';
import { Pool } from 'undici';
import { z } from 'zod';
import type { Asking, Authorizer, Granted } from './authorizer.ts';
import { GrantCache } from './grant-cache.ts';

/** How an answer was come by. */
export type Consultation = (typeof CONSULTATIONS)[number];

export const CONSULTATIONS = ['answered', 'remembered', 'failed'] as const;

export interface CallbackOptions {
  readonly serverId: ServerId;
  readonly url: string;
  /** Claims that the backend is told. */
  readonly claims: readonly string[];
  readonly timeoutMs: number;
  readonly ttlMs: number;
  /** The `Authorization` that it is sent. */
  readonly credential: string | undefined;
  readonly clock: Clock;
  /** Told of every question; `cause` says why one failed, and holds nothing of it. */
  readonly onConsulted: (consultation: Consultation, cause?: unknown) => void;
}

/** Hosts that come back together ask a backend no harder than this; the others wait within their time. */
const CONNECTIONS = 32;
const CACHE_CHARACTERS = 16 * 1024 * 1024;
/** How often a backend is asked at most where its answers are outdated when they come. */
const QUESTIONS = 2;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** A question under way; outdated where its answer may have been given before the principal's access changed. */
interface Inquiry {
  readonly subject: string;
  isOutdated: boolean;
}

const AnswerSchema = z.object({ granted: FilterSchema });

/**
 * Asks the backend what a principal may watch: `POST { server, principal, requested }`, answered by `200 { granted }`.
 * Any other answer, and none in time, is an outage and grants nothing. The same question is asked once at a time.
 */
export class CallbackAuthorizer implements Authorizer {
  readonly #options: CallbackOptions;
  readonly #path: string;
  readonly #pool: Pool;
  readonly #cache: GrantCache;
  readonly #underWay = new Map<string, { readonly inquiry: Inquiry; readonly granted: Promise<Granted> }>();

  constructor(options: CallbackOptions) {
    const { origin, pathname, search } = new URL(options.url);
    this.#options = options;
    this.#path = pathname + search;
    this.#pool = new Pool(origin, {
      connections: CONNECTIONS,
      connect: { timeout: options.timeoutMs },
      maxResponseSize: MAX_ANSWER_BYTES,
    });
    this.#cache = new GrantCache({ ...options, maxCharacters: CACHE_CHARACTERS });
  }

  async grant(asking: Asking): Promise<Granted> {
    const question = this.#question(asking);
    const key = createHash('sha256').update(question).digest('base64');
    const remembered = this.#cache.recall(key);
    if (remembered !== undefined) {
      this.#options.onConsulted('remembered');
      return remembered;
    }
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay.granted;
    const inquiry: Inquiry = { subject: asking.principal.subject, isOutdated: false };
    const granted = this.#consult(question, key, asking, inquiry).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, { inquiry, granted });
    return granted;
  }

  forget(subject: string | undefined): void {
    this.#cache.forget(subject);
    for (const { inquiry } of this.#underWay.values()) {
      if (subject === undefined || inquiry.subject === subject) inquiry.isOutdated = true;
    }
  }

  async close(): Promise<void> {
    if (!this.#pool.destroyed) await this.#pool.destroy();
  }

  #question({ principal, requested }: Asking): string {
    const { subject, issuer, scopes, claims } = principal;
    const told = this.#options.claims.filter((name) => Object.hasOwn(claims, name));
    return JSON.stringify({
      server: this.#options.serverId,
      principal: { subject, issuer, scopes, claims: Object.fromEntries(told.map((name) => [name, claims[name]])) },
      requested,
    });
  }

  async #consult(question: string, key: string, { requested }: Asking, inquiry: Inquiry): Promise<Granted> {
    try {
      for (let asked = 0; asked < QUESTIONS; asked += 1) {
        inquiry.isOutdated = false;
        const granted = narrow(requested, grantOf(await this.#ask(question)));
        if (inquiry.isOutdated) continue;
        this.#cache.remember(key, inquiry.subject, granted);
        this.#options.onConsulted('answered');
        return granted;
      }
      throw new Error('the principal was disconnected while it was asked about, each time');
    } catch (cause) {
      this.#options.onConsulted('failed', cause);
      return 'authorizer-unavailable';
    }
  }

  async #ask(question: string): Promise<Filter> {
    const { credential, timeoutMs } = this.#options;
    const { statusCode, body } = await this.#pool.request({
      path: this.#path,
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        ...(credential !== undefined && { Authorization: credential }),
      },
      body: question,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`the authorizer answered ${statusCode}`);
    return readAnswer(text);
  }
}

/** What a parser says of an answer may quote it, and it names what a principal watches: none of that is passed on. */
function readAnswer(text: string): Filter {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error('the authorizer answered what is not JSON');
  }
  const answer = AnswerSchema.safeParse(json);
  if (!answer.success) throw new Error('the authorizer answered without {"granted": filter}');
  return answer.data.granted;
}
