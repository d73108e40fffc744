import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayConfig } from '@listen-gateway/service-gateway';
import { settingsTable } from '@listen-gateway/service-kit';
import { publisherConfig } from '@listen-gateway/service-publisher';
import { standaloneConfig } from '@listen-gateway/service-standalone';
import { parse } from 'yaml';
import { type Metrics, readMetricTables, together } from './metric-table.ts';
import { ROOT } from './workspace.ts';

/** What a page for operators may name. */
export interface Facts {
  readonly metrics: Metrics;
  readonly settings: ReadonlySet<string>;
  /** By name, the page and anchor that each leads to. */
  readonly alerts: ReadonlyMap<string, string>;
  readonly scripts: ReadonlySet<string>;
  /** What services log, and what they and the tools here say, word for word. */
  readonly sources: string;
  readonly messages: readonly string[];
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const SOURCES = ['{packages,services}/*/src/**/*.ts', 'test/bench/load/*.ts'].flatMap((pattern) =>
  globSync(pattern, { cwd: ROOT, exclude: (name) => name.endsWith('.test.ts') }),
);
/** The constant sentence of a log line. */
const MESSAGE = /\blog\.(?:debug|info|warn|error|fatal)\([\s\S]*?'([^']+)'\s*,?\s*\)/g;

/** Metrics are those of docs/metrics, which another guard compares with what services expose. */
export function readFacts(): Facts {
  const pages = ['docs/metrics.md', ...globSync('docs/metrics/*.md', { cwd: ROOT })];
  const services = { gateway: gatewayConfig, publisher: publisherConfig, standalone: standaloneConfig };
  const table = settingsTable(new Map(Object.entries(services)));
  const sources = SOURCES.map(read).join('\n');
  return {
    metrics: together(pages.map((page) => readMetricTables(read(page)))),
    settings: new Set(Array.from(table.matchAll(/^\| `([^`]+)`/gm), ([, key = '']) => key)),
    alerts: readAlerts(),
    scripts: new Set(Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts)),
    sources,
    messages: [...Array.from(sources.matchAll(MESSAGE), ([, message = '']) => message), ...FATAL],
  };
}

/** Logged by the name of Node's event. */
const FATAL = ['uncaughtException', 'unhandledRejection'];

function readAlerts(): ReadonlyMap<string, string> {
  const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as {
    groups: readonly { rules: readonly { alert: string; annotations: { runbook_url: string } }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  return new Map(
    rules.map(({ alert, annotations }) => [alert, annotations.runbook_url.replace(/^.*\/docs\/operations\//, '')]),
  );
}
