import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BACKBONE_KINDS, type BackboneKind } from './backbone.ts';
import { runCampaign } from './campaign.ts';
import { checkHistory } from './checker.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import { historyOf } from './history.ts';
import { markdown, reportOf } from './report.ts';
import { schedule } from './schedule.ts';
import { fleet } from './worlds.ts';

/** `npm run chaos -- --seed 7 --minutes 10 --world standalone`: the long campaign. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10' },
    world: { type: 'string', default: 'standalone' },
    hosts: { type: 'string', default: '600' },
    surge: { type: 'string', default: '4400' },
    /** Runs the kinds whose name contains this text alone. */
    only: { type: 'string', default: '' },
  },
});
const seed = Number(values.seed);
const minutes = Number(values.minutes);
const world = BACKBONE_KINDS.find((kind): kind is BackboneKind => kind === values.world);
if (world === undefined) throw new Error(`--world must be one of ${BACKBONE_KINDS.join(', ')}`);
const kinds = FAULT_KINDS.filter(({ on, name }) => on.includes(world) && name.includes(values.only));
if (kinds.length === 0) throw new Error(`no fault of a ${world} world has “${values.only}” in its name`);

const size = { servers: 6, hosts: Number(values.hosts), surge: Number(values.surge), minutes };
const records = await runCampaign(
  { ...fleet(world, seed, size), lengthMs: minutes * 60_000, say: console.log },
  schedule(seed, kinds),
);
const stem = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'chaos', `${world}-${seed}`);
await mkdir(dirname(stem), { recursive: true });
// Whoever looks for the cause of a violation needs what was seen around it.
await writeFile(
  `${stem}.jsonl`,
  records.map((record) => `${JSON.stringify(record)}\n`),
);
const history = historyOf(records);
const violations = checkHistory(history);
const report = reportOf(history, violations);
const text = [
  `# npm run chaos -- --seed ${seed} --minutes ${minutes} --world ${world}`,
  markdown(report.totals),
  markdown(report.faults),
  violations.length === 0 ? 'Nothing was broken.' : markdown(report.violations),
].join('\n\n');
await writeFile(`${stem}.md`, `${text}\n`);
console.log(`\n${text}\n\nwritten to ${stem}.md, all that was recorded to ${stem}.jsonl`);
process.exitCode = violations.length === 0 ? 0 : 1;
