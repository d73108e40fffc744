import { readLoadOptions, USAGE } from './load-options.ts';
import { runLoadTest } from './load-test.ts';
import { limitProblems, readMachineLimits } from './machine-limits.ts';
import { isClean, reportText } from './report.ts';

/** `npm run bench:load`: many hosts against a deployment that runs already; docs/operations/load-test.md. */
const read = readLoadOptions(process.argv.slice(2));
if (!read.ok) {
  console.error(`${read.problems.join('\n')}\n\n${USAGE}`);
  process.exit(2);
}
const problems = limitProblems(read.options.streams, readMachineLimits());
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(2);
}
try {
  const report = await runLoadTest(read.options);
  console.log(reportText(report, read.options));
  process.exitCode = isClean(report) ? 0 : 1;
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException;
  console.error(`the load test could not be run: ${message || code}`);
  process.exitCode = 2;
}
