import { call, legacy, modern, type RecordedRequest } from './recorded-request.ts';

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

const errors: readonly RecordedRequest[] = [
  modern('an unknown method', 'no/such'),
  modern('an unknown method beyond ASCII', 'no/such', { größe: 1 }),
  modern('a method of an earlier revision', 'ping'),
  modern('a subscription of an earlier revision', 'resources/subscribe', { uri: 'test://static-text' }),
  modern('parameters of the wrong type', 'tools/call', { name: 5, arguments: {} }),
  modern('tools/call without a name', 'tools/call', {}),
  modern('odd white space', 'tools/list', {}, { spell: (json) => `\n\t ${json.replaceAll(':', ' :\r\n')} \n` }),
  modern('escapes everywhere', 'tools/list', {}, { spell: (json) => json.replace('tools/list', '\\u0074ools\\/list') }),
  call(
    'odd numbers',
    'echo',
    { text: 'n' },
    { spell: (json) => json.replace('"text":', '"n":-0.0,"e":1E+2,"big":123456789012345678901,"text":') },
  ),
  modern('an id of three spellings', 'tools/list', {}, { id: 3, spell: (json) => json.replace('"id":3', '"id":3.0') }),
  call(
    'members of the tool that stand twice',
    'echo',
    { text: 'b' },
    { spell: (json) => json.replace('"text":', '"text":"a","text":') },
  ),
  modern('another member of params', 'tools/list', { 'x-vendor': { deep: [1, { a: null }] } }),
  modern('more metadata', 'tools/list', {}, { meta: { 'com.example/trace': 'abc', traceparent: '00-x' } }),
];

const headers: readonly RecordedRequest[] = [
  modern(
    'headers that nobody knows',
    'tools/list',
    {},
    {
      headers: { 'X-Unknown': ['1', '2'], traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    },
  ),
  modern('a charset', 'tools/list', {}, { headers: { 'Content-Type': 'application/json; charset=UTF-8' } }),
  modern('any answer', 'tools/list', {}, { headers: { Accept: '*/*' } }),
  modern('an answer of one kind', 'tools/list', {}, { headers: { Accept: 'application/json' } }),
  modern('an answer of another kind', 'tools/list', {}, { headers: { Accept: 'text/html' } }),
  modern('compression', 'tools/list', {}, { headers: { 'Accept-Encoding': 'gzip, br' } }),
  modern('a query', 'tools/list', {}, { query: '?a=%20&b=c%2Fd&a=2' }),
  modern('an empty query', 'tools/list', {}, { query: '?' }),
  modern('a credential', 'tools/list', {}, { headers: { Authorization: 'Bearer x' } }),
  modern(
    'a session, which means nothing',
    'tools/list',
    {},
    { headers: { 'Mcp-Session-Id': 'abc', 'Last-Event-ID': '7' } },
  ),
  modern('an allowed origin', 'tools/list', {}, { headers: { Origin: 'http://localhost:9' } }),
];

const notifications: readonly RecordedRequest[] = [
  modern('a notification', 'notifications/progress', { progressToken: 1, progress: 1 }, { id: null }),
  modern('an unknown notification', 'notifications/of-tomorrow', {}, { id: null }),
  modern('notifications/cancelled', 'notifications/cancelled', { requestId: 'R1' }, { id: null, answeredHere: true }),
];

const olderOnes: readonly RecordedRequest[] = [
  legacy('initialize', INITIALIZE),
  legacy('initialize of an older revision', {
    ...INITIALIZE,
    params: { ...INITIALIZE.params, protocolVersion: '2024-11-05' },
  }),
  legacy('notifications/initialized', { method: 'notifications/initialized' }),
  legacy('ping', { id: 2, method: 'ping' }),
  legacy('legacy tools/list', { id: 'L', method: 'tools/list' }),
  legacy('legacy tools/call', { id: 3, method: 'tools/call', params: { name: 'echo', arguments: { text: 'ü' } } }),
  legacy('legacy progress', {
    id: 4,
    method: 'tools/call',
    params: { name: 'test_tool_with_progress', arguments: { steps: 2, stepMs: 1 }, _meta: { progressToken: 1 } },
  }),
  legacy('legacy prompts/list', { id: 5, method: 'prompts/list' }),
  legacy('legacy resources/subscribe', { id: 6, method: 'resources/subscribe', params: { uri: 'demo://counter' } }),
  legacy('logging/setLevel', { id: 7, method: 'logging/setLevel', params: { level: 'info' } }),
  legacy('a legacy method that is unknown', { id: 8, method: 'no/such' }),
  legacy('a response', { id: 9, result: {} }),
  legacy('an error response', { id: 9, error: { code: -1, message: 'x' } }),
  { name: 'GET', verb: 'GET', headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': 'abc' } },
  { name: 'DELETE', verb: 'DELETE', headers: { 'Mcp-Session-Id': 'abc' } },
];

const refusals: readonly RecordedRequest[] = [
  modern('PUT', 'tools/list', {}, { verb: 'PUT', answeredHere: true }),
  modern('no method header', 'tools/list', {}, { headers: { 'Mcp-Method': [] }, answeredHere: true }),
  modern('another method header', 'tools/list', {}, { headers: { 'Mcp-Method': 'prompts/list' }, answeredHere: true }),
  modern(
    'another version header',
    'tools/list',
    {},
    { headers: { 'MCP-Protocol-Version': '2025-11-25' }, answeredHere: true },
  ),
  modern('another name header', 'tools/call', { name: 'echo' }, { headers: { 'Mcp-Name': 'x' }, answeredHere: true }),
  modern('another type', 'tools/list', {}, { headers: { 'Content-Type': 'text/plain' }, answeredHere: true }),
  modern('a foreign origin', 'tools/list', {}, { headers: { Origin: 'http://evil.example' }, answeredHere: true }),
  modern('cut JSON', 'tools/list', {}, { spell: (json) => json.slice(0, -1), answeredHere: true }),
  modern('a batch', 'tools/list', {}, { spell: (json) => `[${json}]`, answeredHere: true }),
  modern('an id that is no id', 'tools/list', {}, { spell: (json) => json.replace('"R1"', '1.5'), answeredHere: true }),
];

/** Requests that are odd, old or wrong. */
export const OTHER_REQUESTS: readonly RecordedRequest[] = [
  ...errors,
  ...headers,
  ...notifications,
  ...olderOnes,
  ...refusals,
];
