import { CONFIG_SECTIONS, configOrExit, createLog, onShutdown } from '@listen-gateway/service-kit';
import { sampleConfig } from './config.ts';
import { startSampleServer } from './sample-server.ts';

const config = configOrExit(sampleConfig, {
  program: 'sample-server',
  summary: 'A small MCP server whose tools, prompts, resources and tasks change, for trying the gateway.',
  otherSections: CONFIG_SECTIONS,
});
const log = createLog(config.log, { service: 'sample-server' });

const { publisherUrl, ...rest } = config.sample;
const server = await startSampleServer({
  ...rest,
  ...(publisherUrl !== undefined && { publisherUrl }),
  report: (err) => log.warn({ err }, 'change not published'),
});
log.info({ url: server.url, publisherUrl }, 'listening');
onShutdown([{ name: 'server', run: () => server.close() }], { log });
