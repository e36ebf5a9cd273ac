import { writeWindow } from '../../../src/endpoint/prompt/compacted-window.js'
import type { PromptMessage } from '../../../src/endpoint/prompt/prompt-message.js'

/** A row of docs/prompt.md: what stands in `input`, and the messages that it becomes. */
export interface ItemCase {
  readonly what: string
  readonly input: readonly object[] | string
  /** In the notation of {@link shown}. */
  readonly messages: readonly string[]
  /** Further fields of the request. */
  readonly request?: object
  /** Content that the host opened. */
  readonly sealed?: Readonly<Record<string, string>>
  readonly images?: 'placeholder'
}

const CALL = { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Rome"}' }
const OUTPUT = { type: 'function_call_output', call_id: 'c1', output: '18 C' }
const CALLED = 'assistant to=functions.get_weather commentary <json> {"city":"Rome"}'
const ANSWERED = 'functions.get_weather to=assistant commentary 18 C'
const MCP = { server_label: 'github', name: 'search', arguments: '{"q":"x"}' }
const MCP_CALLED = 'assistant to=github.search commentary <json> {"q":"x"}'
const REQUESTED = { type: 'mcp_approval_request', id: 'mcpr_1', ...MCP }
const GITHUB = { tools: [{ type: 'mcp', server_label: 'github' }] }
const DOCS = { tools: [{ type: 'namespace', name: 'docs', tools: [{ type: 'function', name: 'lookup' }] }] }

const LOOKUP = { type: 'function', name: 'lookup', description: 'Looks up.' }

export const ITEM_CASES: readonly ItemCase[] = [
  { what: 'a string', input: 'Hi', messages: ['user Hi'] },
  { what: 'a message without a type', input: [{ role: 'user', content: 'Hi' }], messages: ['user Hi'] },
  {
    what: '`message` of the user, in parts',
    input: [message('user', [text('Read this:'), text('Hi')])],
    messages: ['user Read this:\nHi'],
  },
  {
    what: '`message` of `system` or `developer`, first in `input`',
    input: [message('system', 'Be brief.'), message('developer', [text('Be kind.')]), message('user', 'Hi')],
    request: { instructions: 'Be right.' },
    messages: ['developer # Instructions\n\nBe right.\n\nBe brief.\n\nBe kind.', 'user Hi'],
  },
  {
    what: '`message` of `system` or `developer`, later',
    input: [message('user', 'Hi'), message('system', 'Be brief.')],
    messages: ['user Hi', 'developer # Instructions\n\nBe brief.'],
  },
  {
    what: '`message` of the assistant',
    input: [message('assistant', [{ type: 'output_text', text: 'Hello.', annotations: [] }])],
    messages: ['assistant final Hello.'],
  },
  {
    what: '`message` of the assistant with `phase: "commentary"`',
    input: [{ ...message('assistant', 'Let me look.'), phase: 'commentary' }],
    messages: ['assistant commentary Let me look.'],
  },
  {
    what: '`message` of the assistant without a `phase`, and its turn goes on with a call',
    input: [message('assistant', 'Let me look.'), CALL, OUTPUT],
    messages: ['assistant commentary Let me look.', CALLED, ANSWERED],
  },
  {
    what: '`refusal` in a message',
    input: [message('assistant', [{ type: 'refusal', refusal: 'I cannot.' }])],
    messages: ['assistant final I cannot.'],
  },
  {
    what: '`input_image`, `input_file` with `images: "placeholder"`',
    input: [
      message('user', [
        text('Look:'),
        { type: 'input_image', image_url: 'https://example.com/a.png' },
        { type: 'input_file', filename: 'a.pdf', file_id: 'file_1' },
      ]),
    ],
    images: 'placeholder',
    messages: ['user Look:\n[image]\n[file a.pdf]'],
  },
  {
    what: '`input_image`, `input_file` before the last message of the user',
    input: [
      message('user', [
        { type: 'input_image', image_url: 'https://example.com/a.png' },
        { type: 'input_file', file_id: 'file_1' },
      ]),
      message('user', 'Hi'),
    ],
    messages: ['user [image]\n[file file_1]', 'user Hi'],
  },
  {
    what: '`input_image` in what a tool returned',
    input: [
      message('user', 'Look.'),
      CALL,
      { ...OUTPUT, output: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] },
    ],
    messages: ['user Look.', CALLED, 'functions.get_weather to=assistant commentary [image]'],
  },
  {
    what: '`reasoning` with its text',
    input: [{ type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }],
    messages: ['assistant analysis Hm.'],
  },
  {
    what: '`reasoning` with a summary only',
    input: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }],
    messages: ['assistant analysis Hm.'],
  },
  {
    what: '`reasoning` that is sealed, opened by the host',
    input: [{ type: 'reasoning', summary: [], encrypted_content: 'blob' }],
    sealed: { blob: 'Hm.' },
    messages: ['assistant analysis Hm.'],
  },
  {
    what: '`reasoning` with an id only',
    input: [{ type: 'reasoning', id: 'rs_1', summary: [] }, message('user', 'Hi')],
    messages: ['user Hi'],
  },
  { what: '`function_call`, `function_call_output`', input: [CALL, OUTPUT], messages: [CALLED, ANSWERED] },
  {
    what: '`function_call_output` in parts',
    input: [CALL, { ...OUTPUT, output: [text('18 C'), text('sunny')] }],
    messages: [CALLED, `${ANSWERED}\nsunny`],
  },
  { what: '`function_call_output` before its call', input: [OUTPUT, CALL], messages: [CALLED, ANSWERED] },
  {
    what: 'two `function_call`s, answered in another order',
    input: [
      CALL,
      { ...CALL, call_id: 'c2', arguments: '{"city":"Bonn"}' },
      { ...OUTPUT, call_id: 'c2', output: '9 C' },
      OUTPUT,
    ],
    messages: [
      CALLED,
      'assistant to=functions.get_weather commentary <json> {"city":"Bonn"}',
      ANSWERED,
      'functions.get_weather to=assistant commentary 9 C',
    ],
  },
  {
    what: '`function_call` with a `namespace`',
    input: [
      { ...CALL, name: 'lookup', namespace: 'docs' },
      { ...OUTPUT, output: 'found' },
    ],
    request: DOCS,
    messages: [
      'assistant to=docs.lookup commentary <json> {"city":"Rome"}',
      'docs.lookup to=assistant commentary found',
    ],
  },
  {
    what: '`custom_tool_call`, `custom_tool_call_output`',
    input: [
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'Done' },
    ],
    request: { tools: [{ type: 'custom', name: 'apply_patch' }] },
    messages: [
      'assistant to=functions.apply_patch commentary *** Begin Patch',
      'functions.apply_patch to=assistant commentary Done',
    ],
  },
  {
    what: '`mcp_list_tools`',
    input: [{ type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'github', tools: [] }, message('user', 'Hi')],
    messages: ['user Hi'],
  },
  {
    what: '`mcp_call` with its output',
    input: [{ type: 'mcp_call', id: 'mcp_1', ...MCP, output: '3 hits', error: null }],
    request: GITHUB,
    messages: [MCP_CALLED, 'github.search to=assistant commentary 3 hits'],
  },
  {
    what: '`mcp_call` that failed',
    input: [
      {
        type: 'mcp_call',
        id: 'mcp_1',
        ...MCP,
        output: null,
        error: { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'rate limit' }] },
      },
    ],
    request: GITHUB,
    messages: [MCP_CALLED, 'github.search to=assistant commentary rate limit'],
  },
  {
    what: '`mcp_call` without a result',
    input: [{ type: 'mcp_call', id: 'mcp_1', ...MCP, output: null, error: null }],
    request: GITHUB,
    messages: [MCP_CALLED],
  },
  {
    what: '`mcp_approval_request`, approved by an `mcp_approval_response`, with its `mcp_call`',
    input: [
      REQUESTED,
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      { type: 'mcp_call', id: 'mcp_1', ...MCP, approval_request_id: 'mcpr_1', output: '3 hits' },
    ],
    request: GITHUB,
    messages: [MCP_CALLED, 'github.search to=assistant commentary 3 hits'],
  },
  {
    what: '`mcp_approval_request`, just approved',
    input: [REQUESTED, { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }],
    request: GITHUB,
    messages: [MCP_CALLED],
  },
  {
    what: '`mcp_approval_request`, denied',
    input: [
      REQUESTED,
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false, reason: 'Not now.' },
    ],
    request: GITHUB,
    messages: [
      MCP_CALLED,
      'github.search to=assistant commentary The user did not approve this call. Reason: Not now.',
    ],
  },
  {
    what: 'two `mcp_approval_request`s, the first approved with its `mcp_call`, the second denied',
    input: [
      REQUESTED,
      { ...REQUESTED, id: 'mcpr_2', arguments: '{"q":"y"}' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_2', approve: false },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      { type: 'mcp_call', ...MCP, approval_request_id: 'mcpr_1', output: '3 hits' },
    ],
    request: GITHUB,
    messages: [
      MCP_CALLED,
      'assistant to=github.search commentary <json> {"q":"y"}',
      'github.search to=assistant commentary 3 hits',
      'github.search to=assistant commentary The user did not approve this call.',
    ],
  },
  {
    what: '`mcp_approval_request` that the client does not answer',
    input: [REQUESTED, message('user', 'Never mind.')],
    request: GITHUB,
    messages: [
      MCP_CALLED,
      'github.search to=assistant commentary The user has not approved this call.',
      'user Never mind.',
    ],
  },
  {
    what: '`code_interpreter_call` with outputs',
    input: [
      {
        type: 'code_interpreter_call',
        id: 'ci_1',
        code: 'print(1)',
        container_id: 'cntr_1',
        outputs: [
          { type: 'logs', logs: '1' },
          { type: 'image', url: 'data:' },
        ],
      },
    ],
    messages: ['assistant to=python analysis code print(1)', 'python to=assistant analysis 1\n[image]'],
  },
  {
    what: '`code_interpreter_call` without outputs',
    input: [{ type: 'code_interpreter_call', id: 'ci_1', code: 'print(1)', container_id: 'cntr_1', outputs: null }],
    messages: ['assistant to=python analysis code print(1)'],
  },
  {
    what: '`web_search_call`, searching',
    input: [{ type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'otters' } }],
    messages: ['assistant to=browser.search analysis code {"query":"otters"}'],
  },
  {
    what: '`web_search_call`, opening a page',
    input: [{ type: 'web_search_call', id: 'ws_1', action: { type: 'open_page', url: 'https://example.com/' } }],
    messages: ['assistant to=browser.open analysis code {"id":"https://example.com/"}'],
  },
  {
    what: '`web_search_call`, looking for words',
    input: [{ type: 'web_search_call', id: 'ws_1', action: { type: 'find_in_page', pattern: 'pups', url: '' } }],
    messages: ['assistant to=browser.find analysis code {"pattern":"pups"}'],
  },
  {
    what: '`shell_call`, `shell_call_output`',
    input: [
      { type: 'shell_call', call_id: 'c1', action: { commands: ['ls'], timeout_ms: null, max_output_length: null } },
      {
        type: 'shell_call_output',
        call_id: 'c1',
        output: [{ stdout: 'a.txt', stderr: 'oops', outcome: { type: 'exit', exit_code: 2 } }],
      },
    ],
    messages: [
      'assistant to=container.exec commentary <json> {"cmd":["bash","-lc","ls"]}',
      'container.exec to=assistant commentary a.txt\noops\n[exit code 2]',
    ],
  },
  {
    what: '`local_shell_call`, `local_shell_call_output`',
    input: [
      {
        type: 'local_shell_call',
        id: 'lsh_1',
        call_id: 'c1',
        action: { type: 'exec', command: ['ls', '-l'], env: {}, working_directory: '/tmp' },
      },
      { type: 'local_shell_call_output', id: 'c1', output: 'a.txt' },
    ],
    messages: [
      'assistant to=container.exec commentary <json> {"cmd":["ls","-l"],"workdir":"/tmp"}',
      'container.exec to=assistant commentary a.txt',
    ],
  },
  {
    what: '`apply_patch_call`, `apply_patch_call_output`',
    input: [
      {
        type: 'apply_patch_call',
        call_id: 'c1',
        status: 'completed',
        operation: { type: 'delete_file', path: 'a.txt' },
      },
      { type: 'apply_patch_call_output', call_id: 'c1', status: 'completed', output: 'Deleted' },
    ],
    messages: [
      'assistant to=functions.apply_patch commentary *** Begin Patch\n*** Delete File: a.txt\n*** End Patch',
      'functions.apply_patch to=assistant commentary Deleted',
    ],
  },
  {
    what: '`apply_patch_call` that failed',
    input: [
      {
        ...{ type: 'apply_patch_call', call_id: 'c1', status: 'completed' },
        operation: { type: 'update_file', path: 'a.txt', diff: '+x' },
      },
      { type: 'apply_patch_call_output', call_id: 'c1', status: 'failed', output: 'No such file' },
    ],
    messages: [
      'assistant to=functions.apply_patch commentary *** Begin Patch\n*** Update File: a.txt\n+x\n*** End Patch',
      'functions.apply_patch to=assistant commentary The patch was not applied.\nNo such file',
    ],
  },
  {
    what: '`additional_tools`, first in `input`',
    input: [{ type: 'additional_tools', role: 'developer', tools: [LOOKUP] }, message('user', 'Hi')],
    request: { instructions: 'Be right.' },
    messages: [
      'developer # Instructions\n\nBe right.\n\n# Tools\n\n## functions\n\nnamespace functions {\n\n// Looks up.\ntype lookup = () => any;\n\n} // namespace functions',
      'user Hi',
    ],
  },
  {
    what: '`configuration_update`',
    input: [message('user', 'Hi'), { type: 'configuration_update', reasoning: { effort: 'high' } }],
    messages: ['user Hi'],
  },
  {
    what: '`additional_tools`, later',
    input: [message('user', 'Hi'), { type: 'additional_tools', role: 'developer', tools: [LOOKUP] }],
    request: { tools: [LOOKUP] },
    messages: [
      'user Hi',
      'developer # Tools\n\n## functions\n\nnamespace functions {\n\n// Looks up.\ntype lookup = () => any;\n\n} // namespace functions',
    ],
  },
  {
    what: '`file_search_call` with its results',
    input: [
      {
        type: 'file_search_call',
        id: 'fs_1',
        queries: ['otters'],
        results: [{ file_id: 'file-1', filename: 'a.md', text: 'They swim.' }],
        status: 'completed',
      },
    ],
    messages: [
      'assistant to=file_search.search analysis code {"queries":["otters"]}',
      'file_search.search to=assistant analysis 【fs1:0†a.md】\nThey swim.',
    ],
  },
  {
    what: '`file_search_call` of a host, `image_generation_call`',
    input: [
      message('user', 'Hi'),
      { type: 'file_search_call', id: 'fs_1', queries: ['otters'], results: null, status: 'completed' },
      { type: 'image_generation_call', id: 'ig_1', result: 'iVBORw0KGgo=', status: 'completed' },
    ],
    messages: ['user Hi'],
  },
  {
    what: '`compaction`, opened by the host',
    input: [{ type: 'compaction', encrypted_content: 'blob' }, message('user', 'Go on.')],
    sealed: { blob: 'They said hi.' },
    messages: ['user A summary of the conversation so far:\n\nThey said hi.', 'user Go on.'],
  },
  {
    what: '`compaction` by `context_management`, opened by the host',
    input: [
      message('user', 'They said hi. What now?'),
      { type: 'compaction', encrypted_content: 'blob' },
      message('user', 'Go on.'),
    ],
    sealed: { blob: writeWindow({ before: ['What now?'], summary: 'They said hi.', after: [] }) },
    messages: ['user What now?', 'user A summary of the conversation so far:\n\nThey said hi.', 'user Go on.'],
  },
  {
    what: '`agent_message` of another agent',
    input: [
      {
        type: 'agent_message',
        author: '/root',
        recipient: '/root/tests',
        content: [text('Run the tests.'), { type: 'encrypted_content', encrypted_content: 'Quickly.' }],
      },
    ],
    messages: ['user Message from /root to /root/tests:\nRun the tests.\nQuickly.'],
  },
  {
    what: '`multi_agent_call`, `multi_agent_call_output`',
    input: [
      { type: 'multi_agent_call', call_id: 'm1', action: 'spawn_agent', arguments: '{"name":"tests"}' },
      {
        type: 'multi_agent_call_output',
        call_id: 'm1',
        action: 'spawn_agent',
        output: [{ type: 'output_text', text: 'Started.' }],
      },
    ],
    messages: [
      'assistant to=multi_agent.spawn_agent commentary <json> {"name":"tests"}',
      'multi_agent.spawn_agent to=assistant commentary Started.',
    ],
  },
  {
    what: '`computer_call`, `computer_call_output`',
    input: [
      { type: 'computer_call', call_id: 'c1', action: { type: 'click', x: 1, y: 2 }, status: 'completed' },
      { type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot', image_url: 'data:,' } },
    ],
    messages: [
      'assistant to=computer commentary <json> {"actions":[{"type":"click","x":1,"y":2}]}',
      'computer to=assistant commentary [image]',
    ],
  },
  {
    what: '`computer_call` without an action',
    input: [{ type: 'computer_call', call_id: 'c1', pending_safety_checks: [], status: 'completed' }],
    messages: ['assistant to=computer commentary <json> {"actions":[]}'],
  },
  {
    what: '`program`, `program_output`',
    input: [
      { type: 'program', call_id: 'p1', code: 'tools.look()', fingerprint: 'f' },
      { type: 'program_output', call_id: 'p1', result: 'Sunny', status: 'completed' },
    ],
    messages: ['assistant to=program commentary code tools.look()', 'program to=assistant commentary Sunny'],
  },
  {
    what: '`tool_search_call`, `tool_search_output`, whose tools are declared from there on',
    input: [
      message('user', 'Hi'),
      { type: 'tool_search_call', call_id: 't1', arguments: { query: 'look' }, execution: 'server' },
      { type: 'tool_search_output', call_id: 't1', tools: [LOOKUP], execution: 'server' },
    ],
    messages: [
      'user Hi',
      'assistant to=tool_search commentary <json> {"query":"look"}',
      'tool_search to=assistant commentary ["lookup"]',
      'developer # Tools\n\n## functions\n\nnamespace functions {\n\n// Looks up.\ntype lookup = () => any;\n\n} // namespace functions',
    ],
  },
  {
    what: '`compaction_trigger`',
    input: [message('user', 'Hi'), { type: 'compaction_trigger' }],
    messages: ['user Hi'],
  },
]

/** A message in a line: its author, its addressee, its channel, its content type and its text. */
export function shown({ role, name, recipient, channel, contentType, constrained, content }: PromptMessage): string {
  const type = contentType !== undefined && constrained ? `<${contentType}>` : contentType
  const words = [name ?? role, recipient && `to=${recipient}`, channel, type, content]
  return words.filter((word) => word !== undefined).join(' ')
}

function message(role: string, content: unknown): object {
  return { type: 'message', role, content }
}

function text(text: string): object {
  return { type: 'input_text', text }
}
