import type { Disconnect } from '@listen-gateway/protocol';
import { Multimap } from './multimap.ts';
import type { Stream } from './stream.ts';

/** The streams of this instance by the principal who opened them. */
export class PrincipalStreams {
  readonly #streams = new Multimap<string, Stream>();

  add(stream: Stream): void {
    if (stream.principal !== undefined) this.#streams.add(stream.principal.subject, stream);
  }

  remove(stream: Stream): void {
    if (stream.principal !== undefined) this.#streams.delete(stream.principal.subject, stream);
  }

  /** How many streams a principal has here. */
  count(subject: string): number {
    return this.#streams.count(subject);
  }

  /** The streams that a disconnect names. */
  named({ subject, sid, jti }: Disconnect): readonly Stream[] {
    const named: Stream[] = [];
    this.#streams.each(subject, (stream) => {
      const { principal } = stream;
      if (sid !== undefined && principal?.sid !== sid) return;
      if (jti !== undefined && principal?.jti !== jti) return;
      named.push(stream);
    });
    return named;
  }
}
