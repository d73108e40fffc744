import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readFacts } from './runbook-facts.ts';
import { readRunbook } from './runbook-page.ts';
import { FOLDER, runbookProblems } from './runbook-problems.ts';
import { ROOT } from './workspace.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const facts = readFacts();
const pages = globSync(`${FOLDER}/*.md`, { cwd: ROOT }).map((path) =>
  readRunbook(path.slice(FOLDER.length + 1), read(path)),
);

describe.each(pages.map((page) => [page.name, page] as const))('docs/operations/%s', (_, page) => {
  it('is short, and names nothing that is not there', () => {
    expect(runbookProblems(page, facts)).toEqual([]);
  });
});

describe('docs/operations', () => {
  it('has a place for every alert, and its index leads to every page', () => {
    const names = pages.map(({ name }) => name);
    for (const [alert, target] of facts.alerts) expect(names, alert).toContain(target.split('#')[0]);
    const index = pages.find(({ name }) => name === 'README.md');
    const reached = index?.links.map(({ path }) => path);
    expect(reached).toEqual(expect.arrayContaining(names.filter((name) => name !== 'README.md')));
  });

  it.each([
    ['a metric that nobody has', 'See `lg_streams_lost`.', 'no service has lg_streams_lost'],
    ['one in a command', "```sh\ngrep -E '^lg_(ready|red)'\n```", 'no service has lg_red'],
    ['a label value', '`lg_streams_closed_total{reason="bored"}`', 'lg_streams_closed_total has no reason="bored"'],
    ['a setting', 'Raise `limits.streamsPerPod`.', 'there is no setting limits.streamsPerPod'],
    ['a setting of a server', 'Raise `auth.staleMs`.', 'there is no setting auth.staleMs'],
    ['a reason', 'It closes as `host-tired`.', 'no source says host-tired'],
    ['an alert', 'As at ListenGatewayTired.', 'there is no alert ListenGatewayTired'],
    ['the part of another page', '## ListenGatewayGaps', 'ListenGatewayGaps leads elsewhere'],
    ['a script', 'Run `npm run bench:nothing`.', 'there is no npm run bench:nothing'],
    ['a link', '[here](nowhere.md)', 'nowhere.md leads nowhere'],
    ['a part of a page', '[here](capacity.md#nothing)', 'capacity.md has no nothing'],
    ['a file', 'In `deploy/nothing.yaml`.', 'there is no deploy/nothing.yaml'],
    ['a log line', 'The log says `gateway is tired of it`.', 'nobody says "gateway is tired of it"'],
    ['a log line in a command', '```sh\njq \'.msg == "tired"\'\n```', 'nothing logs "tired"'],
    ['words of log lines', '```sh\njq \'.msg | test("broker|tired")\'\n```', 'no log line has "tired"'],
    ['too many lines', `${'x\n'.repeat(41)}`, '41 lines'],
  ])('would be found to name %s', (_, text, problem) => {
    expect(runbookProblems(readRunbook('some.md', text), facts)).toEqual([problem]);
  });

  it('would be found to miss an alert', () => {
    const problems = runbookProblems(readRunbook('upstreams.md', '# Upstreams'), facts);
    expect(problems).toContain('ListenGatewayUpstreamSlow leads here and finds nothing');
  });
});

/** The cells of a row that begins so. */
const row = (page: string, begin: string) => {
  const line = read(`${FOLDER}/${page}`)
    .split('\n')
    .find((one) => one.startsWith(`| ${begin}`));
  if (line === undefined) throw new Error(`${page} has no row ${begin}`);
  return line
    .split('|')
    .map((cell) => cell.trim())
    .slice(1, -1);
};
const number = (text = '') => Number(/-?[\d,]*\.?\d+/.exec(text)?.[0].replaceAll(',', ''));
const example = (page: string, begin: string) => number(row(page, begin).at(-1));
const cost = (begin: string) => example('capacity.md', begin);

describe('the worked example of docs/operations/capacity.md', () => {
  const process = cost('memory of the process');
  const oneUri = cost('memory of a stream');
  const furtherUri = cost('memory of each further');
  const notificationUs = cost('CPU of a notification');
  const openMs = cost('CPU of opening');
  const held = (memoryMiB: number, kib: number) => Math.floor(((0.75 * memoryMiB - process) * 1_024) / kib);
  const { spec } = parse(read('k8s/base/gateway/deployment.yaml')) as {
    spec: {
      template: {
        spec: { terminationGracePeriodSeconds: number; containers: [{ resources: { limits: { memory: string } } }] };
      };
    };
  };
  const pod = spec.template.spec;
  const memoryMiB = number(pod.containers[0].resources.limits.memory);
  const base = parse(read('k8s/base/listen-gateway.yaml')) as {
    limits: { streamsPerInstance: number };
    drain: { delayMs: number };
  };

  it('is what the formulas make of the costs above it', () => {
    const streams = cost('peak streams');
    const kib = oneUri + furtherUri * 8;
    const limit = cost('`limits.streamsPerInstance`');
    const notifications = streams * 0.5;
    const pods = cost('pods |');
    expect(cost('KiB of a stream')).toBe(kib);
    expect(cost('streams of a pod by memory')).toBe(held(memoryMiB, kib));
    expect(limit).toBeLessThanOrEqual(held(memoryMiB, kib));
    expect(cost('pods by memory')).toBe(Math.ceil(streams / limit));
    expect(cost('notifications in a second')).toBe(notifications);
    expect(cost('pods by CPU')).toBe(Math.ceil((notifications * notificationUs) / 1e6 / 0.6));
    expect(pods).toBe(Math.max(cost('pods by memory'), cost('pods by CPU')) + 1);
    expect(cost('seconds until')).toBe((streams / pods / (pods - 1)) * (openMs / 1_000));
  });

  it('says of k8s/base what is there', () => {
    const text = read(`${FOLDER}/capacity.md`);
    const most = held(memoryMiB, oneUri);
    expect(text).toContain(`${memoryMiB} MiB a pod holds ${most.toLocaleString('en')}`);
    expect(text).toContain(`\`k8s/base\` says ${base.limits.streamsPerInstance.toLocaleString('en')}`);
    expect(base.limits.streamsPerInstance).toBeLessThanOrEqual(most);
  });

  it('agrees with the page on drains about the times of k8s/base', () => {
    expect(row('drain.md', 'delay')[2]).toBe(`0, ${base.drain.delayMs}`);
    expect(number(row('drain.md', 'pod')[2])).toBe(pod.terminationGracePeriodSeconds);
    const [windowMs, graceMs] = ['window', 'grace'].map((name) => number(row('drain.md', name)[2]));
    const longestMs = base.drain.delayMs + (windowMs ?? 0) + 2 * (graceMs ?? 0);
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(longestMs);
  });
});

describe('the worked example of docs/operations/redis-capacity.md', () => {
  const of = (begin: string) => example('redis-capacity.md', begin);

  it('is what the formulas make of it', () => {
    const publishes = of('publishes in a second');
    expect(of('messages in a second')).toBe(publishes * 5);
    expect(of('publishers')).toBe(Math.ceil((publishes * 0.6) / 1_000 / 0.6) + 1);
    expect(of('CPU of Redis')).toBe(Math.round((publishes * (40 + 1.5 * 5)) / 1e4));
    expect(of('entries of a journal')).toBe(3_600);
    expect(of('memory of journals')).toBe(Math.round((200 * 3_600 * 160) / 2 ** 20));
    expect(of('memory of idempotency keys')).toBe(Math.round((publishes * 3_600 * 300) / 2 ** 20));
  });

  it.each([
    [5, '14,000'],
    [25, '9,000'],
    [100, '3,600'],
  ])('says when to shard with %s instances', (instances, publishes) => {
    const most = 0.7e6 / (40 + 1.5 * instances);
    expect(read(`${FOLDER}/redis-capacity.md`)).toContain(publishes);
    expect(number(publishes)).toBeLessThanOrEqual(most);
    expect(number(publishes)).toBeGreaterThan(0.93 * most);
  });
});
