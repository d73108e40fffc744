import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureProgram, INSTALL_MS } from '@listen-gateway/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestPublisher } from '../test/test-publisher.ts';
import { ALL_REASONS, statusOf } from './problem.ts';

const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'publisher-api.md'), 'utf8');
const block = (language: string) => text.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';

describe('docs/publisher-api.md', () => {
  let lab: TestPublisher;
  /** Runs a command of the document against the publisher of this test. */
  const run = (command: string) => {
    const line = command.replaceAll('http://127.0.0.1:8081', lab.publisher.url);
    return promisify(execFile)('sh', ['-ec', line], { timeout: 10_000 });
  };

  beforeAll(async () => {
    await ensureProgram('curl', { apt: 'curl' });
    lab = await new TestPublisher().start();
    await lab.listen();
  }, INSTALL_MS);
  afterAll(() => lab.close());

  it('shows curl lines that publish', async () => {
    const { stdout } = await run(block('sh'));
    expect(stdout.match(/"journalId"/g)).toHaveLength(3);
    expect(lab.listener.heard.splice(0)).toEqual([
      { kind: 'tools' },
      { kind: 'resource', uri: 'order://17' },
      { kind: 'resources' },
    ]);
  });

  it('shows a cron line that publishes', async () => {
    // Cron takes the five fields off and the backslash from `\%`.
    const command = block('cron').replace('*/5 * * * * ', '').replaceAll('\\%', '%');
    expect((await run(command)).stdout).toContain('"journalId"');
    expect(lab.listener.heard.splice(0)).toEqual([{ kind: 'prompts' }]);
  });

  it.each(ALL_REASONS)('says under its status what to do about %s', (reason) => {
    const row = text.split('\n').find((line) => line.startsWith('| ') && line.includes(`\`${reason}\``));
    expect(row?.split('|')[1]).toContain(String(statusOf(reason)));
  });
});
