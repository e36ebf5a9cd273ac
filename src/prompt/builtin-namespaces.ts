import { BROWSER, CONTAINER, PYTHON } from '../harmony/namespaces.js'
import type { BuiltinTool } from '../recipients/builtin-tools.js'
import { COMMAND } from '../recipients/shell-command.js'
import type { ToolNamespace } from './tool-namespace.js'

/**
 * The namespaces that the system message teaches for the built-in tools of a request, in the official renderer's order.
 * A request that declares both shells has one `container.exec`, that of `shell`: the call of it becomes a `shell_call`.
 */
export function builtinNamespaces(builtins: ReadonlySet<BuiltinTool>): ToolNamespace[] {
  const namespaces: ToolNamespace[] = []
  if (builtins.has('web_search')) namespaces.push(browser)
  if (builtins.has('shell')) namespaces.push(container(shellLimits))
  else if (builtins.has('local_shell')) namespaces.push(container(localSettings))
  if (builtins.has('code_interpreter')) namespaces.push(python)
  return namespaces
}

const number = (fallback: number): object => ({ type: 'number', default: fallback })

/** The text that the models were trained on: a fact of the format, `get_tool_namespace_config('browser')`. */
const browser: ToolNamespace = {
  name: BROWSER,
  description: [
    'Tool for browsing.',
    'The `cursor` appears in brackets before each browsing display: `[{cursor}]`.',
    'Cite information from the tool using the following format:',
    '`【{cursor}†L{line_start}(-L{line_end})?】`, for example: `【6†L9-L11】` or `【8†L3】`.',
    'Do not quote more than 10 words directly from the tool output.',
    'sources=web (default: web)',
  ].join('\n'),
  tools: [
    {
      name: 'search',
      description: 'Searches for information related to `query` and displays `topn` results.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string' }, topn: number(10), source: { type: 'string' } },
        required: ['query'],
      },
    },
    {
      name: 'open',
      description: [
        'Opens the link `id` from the page indicated by `cursor` starting at line number `loc`, showing `num_lines` ' +
          'lines.',
        'Valid link ids are displayed with the formatting: `【{id}†.*】`.',
        'If `cursor` is not provided, the most recent page is implied.',
        'If `id` is a string, it is treated as a fully qualified URL associated with `source`.',
        'If `loc` is not provided, the viewport will be positioned at the beginning of the document or centered on ' +
          'the most relevant passage, if available.',
        'Use this function without `id` to scroll to a new location of an opened page.',
      ].join('\n'),
      parameters: {
        type: 'object',
        properties: {
          id: { type: ['number', 'string'], default: -1 },
          cursor: number(-1),
          loc: number(-1),
          num_lines: number(-1),
          view_source: { type: 'boolean', default: false },
          source: { type: 'string' },
        },
      },
    },
    {
      name: 'find',
      description: 'Finds exact matches of `pattern` in the current page, or the page given by `cursor`.',
      parameters: {
        type: 'object',
        properties: { pattern: { type: 'string' }, cursor: number(-1) },
        required: ['pattern'],
      },
    },
  ],
}

/** As above: `get_tool_namespace_config('python')`. It has no functions, because its input is code. */
const python: ToolNamespace = {
  name: PYTHON,
  description: [
    'Use this tool to execute Python code in your chain of thought. The code will not be shown to the user. This ' +
      'tool should be used for internal reasoning, but not for code that is intended to be visible to the user (e.g. ' +
      'when creating plots, tables, or files).',
    '',
    'When you send a message containing Python code to python, it will be executed in a stateful Jupyter notebook ' +
      'environment. python will respond with the output of the execution or time out after 120.0 seconds. The drive ' +
      "at '/mnt/data' can be used to save and persist user files. Internet access for this session is UNKNOWN. " +
      'Depends on the cluster.',
  ].join('\n'),
  tools: [],
}

/** No official text exists. The arguments are those that a `shell_call` or a `local_shell_call` can carry. */
function container(settings: Record<string, object>): ToolNamespace {
  return {
    name: CONTAINER,
    description: 'Runs commands on a computer. Files and changes stay there between calls.',
    tools: [
      {
        name: 'exec',
        description: 'Runs a program and returns its output.',
        parameters: {
          type: 'object',
          properties: {
            [COMMAND]: {
              type: 'array',
              items: { type: 'string' },
              description: 'The program and its arguments. For a line of shell script: ["bash", "-lc", "ls | wc -l"]',
            },
            timeout: { type: 'number', description: 'In milliseconds' },
            ...settings,
          },
          required: [COMMAND],
        },
      },
    ],
  }
}

const shellLimits = {
  max_output_length: { type: 'number', description: 'How many characters of output to return at most' },
}

const localSettings = {
  workdir: { type: 'string', description: 'The folder to run in' },
  env: { type: 'object', additionalProperties: { type: 'string' } },
  user: { type: 'string', description: 'The user to run as' },
}
