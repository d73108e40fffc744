import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ANSWERERS } from './answerers.ts';

it('the table of the document is the table of the code', () => {
  const text = readFileSync(new URL('../../../../docs/who-answers.md', import.meta.url), 'utf8');
  const rows = text.matchAll(/^\| (\w+) \| (\w+) \| (\w+) \|$/gm);
  const documented = [...rows].map(([, sort, withUpstream, alone]) => [sort, { withUpstream, alone }]);
  expect(Object.fromEntries(documented)).toEqual(ANSWERERS);
});
