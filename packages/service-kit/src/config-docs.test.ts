import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { brokerConfig } from './config-broker.ts';
import { helpText, settingsTable } from './config-docs.ts';
import { adminConfig, listenConfig, logConfig, serversConfig } from './config-fragments.ts';
import { schemaNode, settingsOf } from './config-settings.ts';

const everyFragment = z.strictObject({
  listen: listenConfig(8080),
  broker: brokerConfig,
  servers: serversConfig,
  admin: adminConfig,
  log: logConfig,
});

describe('the shared settings', () => {
  it.each(settingsOf(schemaNode(everyFragment)).map((setting) => [setting.key, setting] as const))(
    'say what %s is for',
    (_key, { sentence }) => expect(sentence).toMatch(/\.$/),
  );
});

describe('--help', () => {
  const text = helpText(everyFragment, { program: 'gateway', summary: 'Holds streams.' });

  it('lists each flag with its values, sentence and default', () => {
    expect(text).toContain('gateway: Holds streams.');
    expect(text).toContain('  --listen.port=<0–65535>\n      Port to listen on; 0 takes a free one. [8080]\n');
    for (const { names } of settingsOf(schemaNode(everyFragment))) if (names) expect(text).toContain(names.flag);
  });
});

describe('the table of settings', () => {
  const table = settingsTable(
    new Map([
      ['gateway', everyFragment],
      ['publisher', z.strictObject({ log: logConfig })],
    ]),
  );

  it('has one row for a setting that two services read, and says who reads the others', () => {
    expect(table.match(/`log\.pretty`/g)).toHaveLength(1);
    expect(table).toContain(
      '| `log.pretty`<br>`LG_LOG__PRETTY` | true \\| false | `false` | Lines for people instead of JSON. |',
    );
    expect(table).toContain(
      '| `listen.port`<br>`LG_LISTEN__PORT` | 0–65535 | `8080` | Port to listen on; 0 takes a free one. (gateway) |',
    );
  });

  it('has rows for what is beneath a record, which has no variable', () => {
    expect(table).toContain('| `servers.<name>.capabilities.tools` | true \\| false | `true` |');
  });
});
