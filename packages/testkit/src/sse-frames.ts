/** One block of an event stream, as it stood between two blank lines. */
export interface SseFrame {
  /** The event's type; `message` where the frame names none. */
  readonly event: string;
  /** The data lines joined by line feeds; `undefined` for a frame of comments alone, which a host never sees. */
  readonly data: string | undefined;
  readonly comments: readonly string[];
}

/**
 * Reads an event stream as strictly as a gateway must write it, and throws at the first offence: every frame is
 * complete with its blank line and holds a comment or data, every line ends with one line feed, every byte is ASCII, and
 * there is no `id` or `retry`, since nothing is replayed (P-1.10). Hosts are more forgiving (HTML, Server-sent events).
 */
export function parseFrames(text: string): readonly SseFrame[] {
  if (text === '') return [];
  // ASCII alone: U+2028, U+2029 and U+0085 end lines for some splitters (FIELD C4), and a lone CR ends one for all.
  const stray = text.search(/[^\n\x20-\x7e]/);
  if (stray >= 0) throw new Error(`a byte that no frame may hold, ${JSON.stringify(text[stray])}, at ${stray}`);
  const blocks = text.split('\n\n');
  const rest = blocks.pop();
  if (rest !== '') throw new Error(`an incomplete frame: ${JSON.stringify(rest)}`);
  return blocks.map(parseFrame);
}

function parseFrame(block: string): SseFrame {
  let event = 'message';
  const data: string[] = [];
  const comments: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    if (field === '' && colon === 0) comments.push(value);
    else if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else throw new Error(`a line that no frame may hold: ${JSON.stringify(line)}`);
  }
  if (data.length === 0 && (comments.length === 0 || event !== 'message')) {
    throw new Error(`a frame without data: ${JSON.stringify(block)}`);
  }
  return { event, data: data.length === 0 ? undefined : data.join('\n'), comments };
}
