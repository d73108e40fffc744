/** A page for operators, taken apart. */
export interface RunbookPage {
  readonly name: string;
  readonly text: string;
  readonly headings: readonly string[];
  /** What stands in backticks within sentences and tables. */
  readonly quoted: readonly string[];
  /** Blocks of shell commands. */
  readonly commands: readonly string[];
  /** Where links lead: path and anchor. */
  readonly links: readonly { readonly path: string; readonly anchor: string }[];
}

/** Reads a page; other fenced blocks than those of the shell are examples, and nobody's names. */
export function readRunbook(name: string, text: string): RunbookPage {
  const fences = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const prose = text.replaceAll(/^```\w*\n[\s\S]*?^```$/gm, '');
  return {
    name,
    text,
    headings: Array.from(prose.matchAll(/^#+ (.*)$/gm), ([, heading = '']) => heading),
    quoted: Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, quoted = '']) => quoted),
    commands: fences.flatMap(([, language, block = '']) => (language === 'sh' ? [block] : [])),
    links: Array.from(prose.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g), ([, path = '', anchor = '']) => ({
      path,
      anchor,
    })),
  };
}

/** How GitHub calls a heading in a link. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** Everything that an extended regular expression of groups and alternatives can match, its escapes and anchors taken away. */
export function expand(pattern: string): readonly string[] {
  const group = /\(([^()]*)\)/.exec(pattern);
  if (group === null) return pattern.split('|').map((one) => one.replaceAll(/[\\^$]/g, '').trim());
  const [whole, inner = ''] = group;
  return inner.split('|').flatMap((one) => expand(pattern.replace(whole, () => one)));
}
