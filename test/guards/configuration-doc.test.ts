import { join } from 'node:path';
import { gatewayConfig } from '@listen-gateway/service-gateway';
import { CONFIG_SECTIONS, loadConfig, settingsTable } from '@listen-gateway/service-kit';
import { publisherConfig } from '@listen-gateway/service-publisher';
import { standaloneConfig } from '@listen-gateway/service-standalone';
import { describe, expect, it } from 'vitest';
import type { ZodObject } from 'zod';
import { ROOT } from './workspace.ts';

const PATH = join(ROOT, 'docs', 'configuration.md');

const EXAMPLE = `broker: { url: "redis://redis:6379" }
servers:
  acme-ops: { title: Acme Operations, capabilities: { prompts: false, resources: { subResources: true } } }
`;

const INTRODUCTION = `# Configuration

<!-- Generated from the schemas; written again by: npx vitest run --project guards configuration-doc -u -->

Nothing is required. Defaults < YAML file (\`--config=listen-gateway.yaml\` or \`LG_CONFIG\`) < environment < flags. A setting is a path in
the file (\`stream.keepaliveMs\`), a variable (\`LG_STREAM__KEEPALIVE_MS\`), or a flag (\`--stream.keepalive-ms=15000\`). With \`_FILE\` appended a
variable names a file that holds the value, such as a mounted secret; an empty one counts as unset. Lists are written with commas or
as JSON, mappings as JSON. All services can share one file and one environment: each reads its own sections and passes over those
of the others. Anything else that is unknown is an error, and all errors are told before anything opens. In Kubernetes set
\`enableServiceLinks: false\` where a service has a name that begins with \`lg-\`, because it would bring variables that begin with \`LG_\`.
Traces are set up by the variables of OpenTelemetry ([tracing.md](tracing.md)).

\`\`\`yaml
${EXAMPLE}\`\`\`

`;

const SERVICES = new Map<string, ZodObject>([
  ['gateway', gatewayConfig],
  ['publisher', publisherConfig],
  ['standalone', standaloneConfig],
]);

describe('docs/configuration.md', () => {
  it('says what the schemas say', async () => {
    await expect(INTRODUCTION + settingsTable(SERVICES)).toMatchFileSnapshot(PATH);
  });

  it.each([...SERVICES])('has an example that the %s takes', (_service, schema) => {
    const sources = { argv: ['--config=x'], env: {}, readFile: () => EXAMPLE };
    expect(loadConfig(schema, sources, { otherSections: CONFIG_SECTIONS })).toMatchObject({ ok: true });
  });
});
