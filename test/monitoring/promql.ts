import { parser } from '@prometheus-io/lezer-promql';

export interface Matcher {
  readonly label: string;
  readonly op: string;
  readonly value: string;
}

/** One mention of a metric. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** What a query names. */
export interface Query {
  readonly selectors: readonly Selector[];
  /** Labels that it groups or matches by. */
  readonly labels: readonly string[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/** What a query names; throws where it is no PromQL. */
export function readQuery(text: string): Query {
  const selectors: Selector[] = [];
  const labels: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, node }) => {
      if (type.isError) throw new Error(`no PromQL at ${node.from}: ${text}`);
      if (type.name === 'VectorSelector') selectors.push(selectorOf(node, text));
      if (type.name === 'GroupingLabels')
        labels.push(...node.getChildren('LabelName').map((name) => textOf(name, text)));
    },
  });
  return { selectors, labels };
}

function selectorOf(node: Node, text: string): Selector {
  const name = node.getChild('Identifier');
  if (name === null) throw new Error(`a selector without a metric, ${textOf(node, text)}, in: ${text}`);
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  return { metric: textOf(name, text), matchers: matchers.map((matcher) => matcherOf(matcher, text)) };
}

function matcherOf(node: Node, text: string): Matcher {
  const part = (name: string) => textOf(node.getChild(name)!, text);
  return { label: part('LabelName'), op: part('MatchOp'), value: JSON.parse(part('StringLiteral')) as string };
}

const textOf = ({ from, to }: Pick<Node, 'from' | 'to'>, text: string) => text.slice(from, to);
