import { OTHER_REQUESTS } from './recorded-oddities.ts';
import { call, modern, type RecordedRequest } from './recorded-request.ts';

/** A host that can do all that servers ask for. */
const ABLE = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    sampling: {},
    roots: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};
/** What no two servers say alike. */
const STATE = /"requestState":"[^"]+"/g;
const TASK = /"(taskId|createdAt|lastUpdatedAt)":"[^"]+"/g;

const MIB = 1_048_576;

const lists: readonly RecordedRequest[] = [
  modern('tools/list', 'tools/list'),
  modern('tools/list with an integer id', 'tools/list', {}, { id: 7 }),
  modern('tools/list with the id 0', 'tools/list', {}, { id: 0 }),
  modern('tools/list with an empty id', 'tools/list', {}, { id: '' }),
  modern('tools/list with a long id', 'tools/list', {}, { id: 'ü'.repeat(5_000) }),
  modern('tools/list with a cursor that is none', 'tools/list', { cursor: 'nowhere' }),
  modern('prompts/list', 'prompts/list'),
  modern('resources/list', 'resources/list'),
  modern('resources/templates/list', 'resources/templates/list'),
  modern('prompts/get', 'prompts/get', { name: 'test_simple_prompt' }),
  modern('prompts/get with arguments', 'prompts/get', {
    name: 'test_prompt_with_arguments',
    arguments: { arg1: 'größer', arg2: '\u2028\ud83d\ude00' },
  }),
  modern('prompts/get without its arguments', 'prompts/get', { name: 'test_prompt_with_arguments' }),
  modern('prompts/get of none', 'prompts/get', { name: 'nobody' }),
  modern('prompts/get with a picture', 'prompts/get', { name: 'test_prompt_with_image' }),
  modern('resources/read', 'resources/read', { uri: 'test://static-text' }),
  modern('resources/read of bytes', 'resources/read', { uri: 'test://static-binary' }),
  modern('resources/read by template', 'resources/read', { uri: 'test://template/42/data' }),
  modern('resources/read of none', 'resources/read', { uri: 'test://nowhere' }),
  modern(
    'resources/read of a URI beyond ASCII',
    'resources/read',
    { uri: 'test://template/größe/data' },
    {
      headers: { 'Mcp-Name': '=?base64?dGVzdDovL3RlbXBsYXRlL2dyw7bDn2UvZGF0YQ==?=' },
    },
  ),
  modern('completion/complete', 'completion/complete', {
    ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
    argument: { name: 'arg1', value: 'par' },
  }),
  modern('completion/complete of nothing', 'completion/complete', {}),
];

const calls: readonly RecordedRequest[] = [
  call('a call', 'echo', { text: 'hello' }),
  call('a call beyond ASCII', 'echo', { text: 'größer \u2028\u2029\u0085 \ud83d\ude00 \u0000' }),
  call('a call with a lone surrogate', 'echo', { text: '\ud800' }),
  call('a call of a megabyte', 'echo', { text: 'x'.repeat(MIB) }),
  call('a call of a megabyte beyond ASCII', 'echo', { text: '\u00e9\u4e16'.repeat(MIB / 5) }),
  call('a call without its arguments', 'echo'),
  call('a call with wrong arguments', 'echo', { text: 7 }),
  call('a call of no tool', 'nobody'),
  call('a call that fails', 'test_error_handling'),
  call('a call with a picture', 'test_image_content'),
  call('a call with sound', 'test_audio_content'),
  call('a call with a resource', 'test_embedded_resource'),
  call('a call with several contents', 'test_multiple_content_types'),
  call(
    'a call with a mirrored parameter',
    'region_report',
    { region: 'eu' },
    { headers: { 'Mcp-Param-Region': 'eu' } },
  ),
  call(
    'a call whose mirrored parameter differs',
    'region_report',
    { region: 'eu' },
    { headers: { 'Mcp-Param-Region': 'us' } },
  ),
  call('a call whose mirrored parameter is missing', 'region_report', { region: 'eu' }),
  call('a call by JSON Schema', 'json_schema_2020_12_tool', { name: 'Ada', phone: '1', urgent: true }),
  call('a call that needs a capability', 'test_missing_capability'),
  call('a call that asks', 'test_input_required_result_elicitation', {}, { meta: ABLE }),
  call(
    'a call that asks in signed rounds',
    'test_input_required_result_request_state',
    {},
    { meta: ABLE, mask: STATE },
  ),
  modern(
    'a call with answers',
    'tools/call',
    {
      name: 'test_input_required_result_elicitation',
      inputResponses: { user_name: { action: 'accept', content: { name: 'Ada' } } },
    },
    { meta: ABLE },
  ),
  modern(
    'a call with a forged state',
    'tools/call',
    {
      name: 'test_input_required_result_request_state',
      requestState: 'forged',
      inputResponses: { confirm: { action: 'accept', content: { ok: true } } },
    },
    { meta: ABLE },
  ),
  call('a call that changes a list', 'add_tool', { name: 'added' }),
  modern('tools/list after the change', 'tools/list'),
  call('a call of the added tool', 'added'),
  call('a change that is refused', 'add_tool', { name: 'added' }),
  call('a call that changes a resource', 'increment'),
  modern('resources/read after the change', 'resources/read', { uri: 'demo://counter' }),
];

const streams: readonly RecordedRequest[] = [
  call('a call with progress', 'test_tool_with_progress', { steps: 4, stepMs: 1 }, { meta: { progressToken: 'p1' } }),
  call(
    'a call with much progress',
    'test_tool_with_progress',
    { steps: 500, stepMs: 0 },
    { meta: { progressToken: 7 } },
  ),
  call('a call without progress', 'test_tool_with_progress', { steps: 2, stepMs: 1 }),
  call('a call that logs', 'test_logging_tool', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'info' } }),
  call(
    'a call that is left midway',
    'test_tool_with_progress',
    { steps: 1_000, stepMs: 20 },
    {
      meta: { progressToken: 'p2' },
      leavesAfter: 3,
    },
  ),
  call(
    'a call that is left at its first frame',
    'test_tool_with_progress',
    { steps: 1_000, stepMs: 20 },
    {
      meta: { progressToken: 'p3' },
      leavesAfter: 1,
    },
  ),
];

const tasks: readonly RecordedRequest[] = [
  call('a call that becomes a task', 'failing_job', {}, { meta: ABLE, mask: TASK }),
  modern('tasks/get of none', 'tasks/get', { taskId: 'nobody' }, { meta: ABLE }),
  modern('tasks/get without the capability', 'tasks/get', { taskId: 'nobody' }),
  modern('tasks/update of none', 'tasks/update', { taskId: 'nobody', inputResponses: {} }, { meta: ABLE }),
  modern('tasks/cancel of none', 'tasks/cancel', { taskId: 'nobody' }, { meta: ABLE }),
];

/**
 * The requests that are compared, in the order in which they are sent: what one changes the next may show. One more is
 * one more row: `modern(name, method, params)`, `call(name, tool, arguments)`, `legacy(name, message)`, or written out.
 */
export const RECORDED_REQUESTS: readonly RecordedRequest[] = [
  ...lists,
  ...calls,
  ...streams,
  ...tasks,
  ...OTHER_REQUESTS,
];
