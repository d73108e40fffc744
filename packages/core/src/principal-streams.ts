import type { Disconnect, ServerId } from '@listen-gateway/protocol';
import { Multimap } from './multimap.ts';
import type { Stream } from './stream.ts';

/** The streams of this instance by the principal who opened them. */
export class PrincipalStreams {
  readonly #streams = new Multimap<string, Stream>();

  add(stream: Stream): void {
    if (stream.principal !== undefined) this.#streams.add(keyOf(stream.serverId, stream.principal.subject), stream);
  }

  remove(stream: Stream): void {
    if (stream.principal !== undefined) this.#streams.delete(keyOf(stream.serverId, stream.principal.subject), stream);
  }

  /** How many streams a principal of a server has here. */
  count(serverId: ServerId, subject: string): number {
    return this.#streams.count(keyOf(serverId, subject));
  }

  /** The streams that a disconnect names. */
  named(serverId: ServerId, { subject, sid, jti }: Disconnect): readonly Stream[] {
    const named: Stream[] = [];
    this.#streams.each(keyOf(serverId, subject), (stream) => {
      const { principal } = stream;
      if (sid !== undefined && principal?.sid !== sid) return;
      if (jti !== undefined && principal?.jti !== jti) return;
      named.push(stream);
    });
    return named;
  }
}

/** A subject is unique on its server alone; no server id has a space. */
function keyOf(serverId: ServerId, subject: string): string {
  return `${serverId} ${subject}`;
}
