import type { z } from 'zod';
import { type Setting, schemaNode, settingsOf } from './config-settings.ts';

/** The text of `--help`: every setting with its flag, values, default and sentence. */
export function helpText(schema: z.ZodObject, about: { readonly program: string; readonly summary: string }): string {
  const lines = settingsOf(schemaNode(schema)).flatMap((setting) =>
    setting.names === undefined
      ? []
      : [`  ${setting.names.flag}=<${setting.values}>`, `      ${setting.sentence} ${fallbackText(setting)}`.trimEnd()],
  );
  return [
    `${about.program}: ${about.summary}`,
    '',
    'Defaults < YAML file (--config=<path> or LG_CONFIG) < environment < flags. The variable of --stream.keepalive-ms is',
    'LG_STREAM__KEEPALIVE_MS; with _FILE appended it names a file that holds the value. --print-config says what the',
    'service would run with, secrets redacted.',
    '',
    ...lines,
    '',
  ].join('\n');
}

/** The settings of several services as one Markdown table; a setting that not all of them read says who does. */
export function settingsTable(services: ReadonlyMap<string, z.ZodObject>): string {
  const rows = new Map<string, { setting: Setting; readers: string[] }>();
  for (const [service, schema] of services) {
    for (const setting of settingsOf(schemaNode(schema))) {
      const row = rows.get(setting.key) ?? { setting, readers: [] };
      row.readers.push(service);
      rows.set(setting.key, row);
    }
  }
  const lines = [...rows.values()].map(({ setting, readers }) => {
    const names = setting.names === undefined ? '' : `<br>\`${setting.names.env}\``;
    const only = readers.length === services.size ? '' : ` (${readers.join(', ')})`;
    return `| \`${setting.key}\`${names} | ${cell(setting.values)} | ${defaultCell(setting)} | ${cell(setting.sentence)}${only} |`;
  });
  return ['| setting | values | default | |', '|---|---|---|---|', ...lines, ''].join('\n');
}

function fallbackText(setting: Setting): string {
  return setting.fallback === undefined ? '' : `[${JSON.stringify(setting.fallback)}]`;
}

function defaultCell(setting: Setting): string {
  return setting.fallback === undefined ? '' : `\`${cell(JSON.stringify(setting.fallback))}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
