import type { Change, ListKind } from '@listen-gateway/protocol';
import { Multimap } from './multimap.ts';
import type { Stream } from './stream.ts';

/** The streams of one server by what they listen for: answers "who wants this" at a cost that grows with the answer. */
export class StreamIndex {
  readonly all = new Set<Stream>();
  readonly #lists: Readonly<Record<ListKind, Set<Stream>>> = {
    tools: new Set(),
    prompts: new Set(),
    resources: new Set(),
  };
  readonly #uris = new Multimap<string, Stream>();
  readonly #taskIds = new Multimap<string, Stream>();
  /** Streams whose server announces sub-resources; their URIs are looked up for every URI beneath them too. */
  #subResources = 0;

  add(stream: Stream): void {
    const { honored } = stream;
    this.all.add(stream);
    if (stream.subResources) this.#subResources += 1;
    if (honored.toolsListChanged) this.#lists.tools.add(stream);
    if (honored.promptsListChanged) this.#lists.prompts.add(stream);
    if (honored.resourcesListChanged) this.#lists.resources.add(stream);
    for (const uri of honored.resourceSubscriptions ?? []) this.#uris.add(uri, stream);
    for (const taskId of honored.taskIds ?? []) this.#taskIds.add(taskId, stream);
  }

  remove(stream: Stream): void {
    const { honored } = stream;
    if (!this.all.delete(stream)) return;
    if (stream.subResources) this.#subResources -= 1;
    for (const streams of Object.values(this.#lists)) streams.delete(stream);
    for (const uri of honored.resourceSubscriptions ?? []) this.#uris.delete(uri, stream);
    for (const taskId of honored.taskIds ?? []) this.#taskIds.delete(taskId, stream);
  }

  /**
   * Calls `visit` for each stream whose honored filter and audience the change matches (P-1.5, INS-06). For a resource,
   * `subscribedUri` is the URI that the stream named, which differs from the change's under sub-resource matching.
   */
  match(change: Change, visit: (stream: Stream, subscribedUri?: string) => void): void {
    const subjects = change.audience && new Set(change.audience.subjects);
    const visitAudience =
      subjects === undefined
        ? visit
        : (stream: Stream, subscribedUri?: string) => {
            if (stream.principal !== undefined && subjects.has(stream.principal.subject)) visit(stream, subscribedUri);
          };
    switch (change.kind) {
      case 'resource':
        this.#matchUri(change.uri, visitAudience);
        break;
      case 'task':
        this.#taskIds.each(change.task.taskId, (stream) => visitAudience(stream));
        break;
      default:
        for (const stream of this.#lists[change.kind]) visitAudience(stream);
    }
  }

  #matchUri(uri: string, visit: (stream: Stream, subscribedUri: string) => void): void {
    if (this.#subResources === 0) {
      this.#uris.each(uri, (stream) => visit(stream, uri));
      return;
    }
    // A stream may name a URI and others above it; it owes the change once, under the nearest of them.
    const visited = new Set<Stream>();
    const visitThoseNaming = (named: string): void =>
      this.#uris.each(named, (stream) => {
        if ((named !== uri && !stream.subResources) || visited.has(stream)) return;
        visited.add(stream);
        visit(stream, named);
      });
    visitThoseNaming(uri);
    for (const parent of parentsOf(uri)) visitThoseNaming(parent);
  }
}

/**
 * The URIs above one, on path-segment boundaries: `file:///a/b` is beneath `file:///a/` and `file:///a`, not
 * `file:///a/b/`. A slash in a query or fragment bounds no segment (RFC 3986, section 3).
 */
function* parentsOf(uri: string): Generator<string> {
  const [path = ''] = uri.split(/[?#]/, 1);
  const pathStart = path.indexOf('://') === -1 ? 0 : path.indexOf('://') + 3;
  for (let slash = path.lastIndexOf('/'); slash >= pathStart; slash = path.lastIndexOf('/', slash - 1)) {
    if (slash !== uri.length - 1) yield path.slice(0, slash + 1);
    if (slash > pathStart) yield path.slice(0, slash);
    if (slash === 0) return;
  }
}
