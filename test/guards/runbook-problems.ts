import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Facts } from './runbook-facts.ts';
import { anchorOf, expand, type RunbookPage, readRunbook } from './runbook-page.ts';
import { ROOT } from './workspace.ts';

export const FOLDER = 'docs/operations';
const MAX_LINES = 40;
const MAX_COLUMNS = 240;

/** What a page names that is not there, and where it is longer than somebody reads at night. */
export function runbookProblems(page: RunbookPage, facts: Facts): readonly string[] {
  return [
    ...lengthProblems(page),
    ...metricNames(page).flatMap((series) => metricProblems(series, facts)),
    ...page.quoted.flatMap((quoted) => quotedProblems(quoted, facts)),
    ...alertProblems(page, facts),
    ...scriptProblems(page, facts),
    ...messageProblems(page, facts),
    ...page.links.flatMap((link) => linkProblems(page, link)),
  ];
}

function lengthProblems({ text }: RunbookPage): readonly string[] {
  const lines = text.trimEnd().split('\n');
  return [
    ...(lines.length > MAX_LINES ? [`${lines.length} lines`] : []),
    ...lines.filter((line) => [...line].length > MAX_COLUMNS).map((line) => `a line of ${[...line].length} characters`),
  ];
}

/** Metrics, with labels if they are given: in sentences, and in the patterns that commands look for. */
function metricNames({ quoted, commands }: RunbookPage): readonly string[] {
  const patterns = commands.flatMap((block) =>
    Array.from(block.matchAll(/'(\^?lg_[^']*)'/g), ([, pattern = '']) => pattern),
  );
  const named = quoted.flatMap((one) => Array.from(one.matchAll(/lg_\w+(?:\{[^}]*\})?/g), ([name]) => name));
  return [...named, ...patterns.flatMap(expand)];
}

function metricProblems(series: string, { metrics }: Facts): readonly string[] {
  const [, name = series, labels = ''] = /^(\w+)(?:\{(.*))?$/.exec(series) ?? [];
  const metric = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''));
  if (metric === undefined) return [`no service has ${name}`];
  return Array.from(labels.matchAll(/(\w+)="([\w-]+)/g)).flatMap(([, label = '', value = '']) => {
    const values = [...(metric.labels.get(label) ?? [])];
    return values.some((one) => one.startsWith(value)) ? [] : [`${name} has no ${label}="${value}"`];
  });
}

/** Sections of other people's configuration. */
const FOREIGN_SETTINGS = /^(net|securityContext)\./;
const FILE = /\.(md|ya?ml|log|json)$/;

function quotedProblems(quoted: string, facts: Facts): readonly string[] {
  const [word = ''] = quoted.split(/[\s:=]/);
  if (/^[a-z]\w*(\.[a-zA-Z]\w*)+$/.test(word) && !FOREIGN_SETTINGS.test(word) && !FILE.test(word)) {
    const isSetting = [...facts.settings].some((key) =>
      [word, `servers.<name>.${word}`].some((path) => key === path || key.startsWith(`${path}.`)),
    );
    return isSetting ? [] : [`there is no setting ${word}`];
  }
  if (/^(packages|services|deploy|k8s|docs)\//.test(word)) {
    return globSync(word, { cwd: ROOT }).length > 0 ? [] : [`there is no ${word}`];
  }
  // Reasons, outcomes and problems: words of closed sets.
  if (/^[a-z]+(-[a-z]+)+$/.test(quoted) && !FOREIGN_WORDS.has(quoted)) {
    return facts.sources.includes(`'${quoted}'`) ? [] : [`no source says ${quoted}`];
  }
  return [];
}

/** Settings of Redis. */
const FOREIGN_WORDS = new Set(['maxmemory-policy', 'client-output-buffer-limit']);

function alertProblems({ name, text, headings }: RunbookPage, { alerts }: Facts): readonly string[] {
  const named = Array.from(text.matchAll(/\bListenGateway[A-Z]\w*/g), ([alert]) => alert);
  const led = [...alerts].filter(([, target]) => target.startsWith(`${name}#`)).map(([alert]) => alert);
  const own = headings.filter((heading) => heading.startsWith('ListenGateway'));
  return [
    ...named.filter((alert) => !alerts.has(alert)).map((alert) => `there is no alert ${alert}`),
    ...led.filter((alert) => !own.includes(alert)).map((alert) => `${alert} leads here and finds nothing`),
    ...own.filter((alert) => !led.includes(alert)).map((alert) => `${alert} leads elsewhere`),
    ...own
      .filter((alert) => led.includes(alert) && alerts.get(alert) !== `${name}#${anchorOf(alert)}`)
      .map((alert) => `${alert} has another anchor`),
  ];
}

function scriptProblems({ text }: RunbookPage, { scripts }: Facts): readonly string[] {
  const named = Array.from(text.matchAll(/npm run (?:--silent )?([\w:-]+)/g), ([, script = '']) => script);
  return named.filter((script) => !scripts.has(script)).map((script) => `there is no npm run ${script}`);
}

/** What Node, Redis, Linux and Kubernetes say. */
const FOREIGN_SENTENCES = new Set([
  'connect ECONNREFUSED',
  'Command timed out',
  'The operation was aborted due to timeout',
  'Cannot assign requested address',
  'nf_conntrack: table full, dropping packet',
  'ACL SETUSER',
  'ACL LOG',
  'CLIENT LIST',
  'Keep-Alive: timeout=',
]);
const PROGRAMS = /^(curl|redis-cli|npm|date|ulimit|rate\()/;

/** Log lines, as jq looks for them and as sentences quote them. */
function messageProblems({ quoted, commands }: RunbookPage, { messages, sources }: Facts): readonly string[] {
  const blocks = commands.join('\n');
  const selected = Array.from(blocks.matchAll(/\.msg == "([^"]+)"/g), ([, message = '']) => message);
  const searched = Array.from(blocks.matchAll(/\.msg \| test\("([^"]+)"\)/g), ([, words = '']) =>
    words.split('|'),
  ).flat();
  const sentences = quoted.filter((one) => /^[a-z][\w;,.-]* \S/i.test(one) && !PROGRAMS.test(one));
  return [
    ...selected.filter((one) => !messages.includes(one)).map((one) => `nothing logs "${one}"`),
    ...searched
      .filter((one) => !messages.some((message) => message.includes(one)))
      .map((one) => `no log line has "${one}"`),
    ...sentences
      .filter((one) => !FOREIGN_SENTENCES.has(one) && !messages.includes(one) && !isSettingOrOutput(one, sources))
      .map((one) => `nobody says "${one}"`),
  ];
}

/** `minReplicas: 1`, or what a program of ours prints with numbers in it. */
function isSettingOrOutput(sentence: string, sources: string): boolean {
  if (/^[\w.-]+:? \S+$/.test(sentence)) return true;
  const words = sentence
    .split(/\d+/)
    .map((part) => part.trim())
    .filter((part) => part.length > 4);
  return words.length > 0 && words.every((part) => sources.includes(part.replace(/ ms$/, '')));
}

function linkProblems(page: RunbookPage, { path, anchor }: { path: string; anchor: string }): readonly string[] {
  if (/^https?:/.test(path)) return [];
  const target = join(ROOT, FOLDER, path || page.name);
  if (!existsSync(target)) return [`${path} leads nowhere`];
  if (anchor === '') return [];
  const { headings } = readRunbook(path, readFileSync(target, 'utf8'));
  return headings.map(anchorOf).includes(anchor) ? [] : [`${path} has no ${anchor}`];
}
