import { undatedType } from '../../core/recipients/undated-type.js'
import type {
  CodeInterpreterCallItem,
  McpCallItem,
  McpError,
  OutputItem,
  WebSearchAction,
  WebSearchCallItem,
  WebSearchSource,
} from '../../core/responses/items.js'
import type { McpTool, UnknownTool } from '../../core/responses/request.js'
import type { Fields } from '../../shared/fields.js'
import { fieldOf, optionalTextIn, textIn } from '../../shared/request-fields.js'
import type {
  MessageCodeExecutionToolResultBlock,
  MessageMcpToolResultBlock,
  MessageMcpToolUseBlock,
  MessageServerToolUseBlock,
  MessageWebSearchToolResultBlock,
} from './message.js'
import { toolInput } from './tool-input.js'

/*
 * Calls that the server runs and that this API has blocks for: web searches, code, and tools of MCP servers. Each is two
 * blocks, the call and its result, which come back as one item.
 */

export type ServerCallItem = WebSearchCallItem | CodeInterpreterCallItem | McpCallItem

/** The two blocks of a call. */
export interface ServerCallBlocks {
  readonly use: MessageServerToolUseBlock | MessageMcpToolUseBlock
  readonly result: MessageWebSearchToolResultBlock | MessageCodeExecutionToolResultBlock | MessageMcpToolResultBlock
}

/**
 * Returns a test for the calls that a client is shown, once they have ended: those of tools that its request declares.
 * A client cannot handle calls of others.
 *
 * @param declared - the tools of the request
 */
export function shownCalls(declared: readonly UnknownTool[]): (item: OutputItem) => item is ServerCallItem {
  const labels = new Set(declared.map((tool) => (tool.type === 'mcp' ? (tool as McpTool).server_label : undefined)))
  const types = new Set(declared.map(({ type }) => undatedType(type)))
  return (item): item is ServerCallItem => {
    if (item.type === 'mcp_call') return labels.has(item.server_label)
    if (item.type === 'code_interpreter_call') return types.has('code_interpreter')
    return item.type === 'web_search_call' && types.has('web_search')
  }
}

/** @param isPastLimit - whether it is a search beyond the client's limit */
export function serverCallBlocks(item: ServerCallItem, isPastLimit: boolean): ServerCallBlocks {
  if (item.type === 'mcp_call') return mcpBlocks(item)
  return item.type === 'code_interpreter_call' ? codeBlocks(item) : searchBlocks(item, isPastLimit)
}

function searchBlocks({ id, status, action }: WebSearchCallItem, isPastLimit: boolean): ServerCallBlocks {
  const tool_use_id = id.replace(/^(ws_)?/, 'srvtoolu_')
  const { type: _, ...actionFields } = action
  const { sources = [], ...input } = actionFields as Partial<Extract<WebSearchAction, { type: 'search' }>>
  const opened = action.type === 'search' || action.url === '' ? [] : [{ type: 'url' as const, url: action.url }]
  const pages: readonly WebSearchSource[] = action.type === 'search' ? sources : opened
  const content =
    status === 'failed'
      ? ({
          type: 'web_search_tool_result_error',
          error_code: isPastLimit ? 'max_uses_exceeded' : 'unavailable',
        } as const)
      : pages.map(({ url, title = hostOf(url) }) => ({
          ...{ type: 'web_search_result' as const, url, title },
          ...{ encrypted_content: '', page_age: null },
        }))
  return {
    use: { type: 'server_tool_use', id: tool_use_id, name: 'web_search', input },
    result: { type: 'web_search_tool_result', tool_use_id, content },
  }
}

/** The streams of a cell are one, and whether an error ended it is in its text alone. */
function codeBlocks({ id, status, code, container_id, outputs }: CodeInterpreterCallItem): ServerCallBlocks {
  // So that the container comes back with the call.
  const tool_use_id = `srvtoolu_${id.replace(/^ci_/, '')}_${container_id.replace(/^cntr_/, '')}`
  const stdout = (outputs ?? []).map((output) => (output.type === 'logs' ? output.logs : '[image]\n')).join('')
  const content: MessageCodeExecutionToolResultBlock['content'] =
    status === 'failed'
      ? { type: 'code_execution_tool_result_error', error_code: 'unavailable' }
      : { type: 'code_execution_result', stdout, stderr: '', return_code: 0, content: [] }
  return {
    use: { type: 'server_tool_use', id: tool_use_id, name: 'code_execution', input: { code } },
    result: { type: 'code_execution_tool_result', tool_use_id, content },
  }
}

/** Returns the item of code that ran here, which the client sends back; undefined if another server ran it. */
export function readCode(id: string, name: string, input: Fields): object | undefined {
  const [, call, container] = /^srvtoolu_([\da-f]+)_(\w+)$/.exec(id) ?? []
  const code = fieldOf(input, 'code')
  if (name !== 'code_execution' || call === undefined || typeof code !== 'string') return undefined
  return { type: 'code_interpreter_call', id: `ci_${call}`, code, container_id: `cntr_${container}` }
}

/** Returns the fields that the result of code adds to its item. @throws RequestError */
export function readCodeResult(content: Fields, param: string): object {
  const isFailed = textIn(content, 'type', param) !== 'code_execution_result'
  const logs = isFailed ? 'The call failed.' : (optionalTextIn(content, 'stdout', param) ?? '')
  return { status: isFailed ? 'failed' : 'completed', outputs: [{ type: 'logs', logs }] }
}

/** Returns the domain of a page, which serves as the title of a source. */
function hostOf(url: string): string {
  return /^[a-z][a-z\d+.-]*:\/\/([^/?#]+)/i.exec(url)?.[1] ?? url
}

function mcpBlocks({ id, name, server_label, arguments: text, output, error }: McpCallItem): ServerCallBlocks {
  const tool_use_id = id.replace(/^(mcp_)?/, 'mcptoolu_')
  const outputText = output ?? (error === null ? '' : errorText(error))
  return {
    use: { type: 'mcp_tool_use', id: tool_use_id, name, server_name: server_label, input: toolInput(text) },
    result: {
      type: 'mcp_tool_result',
      tool_use_id,
      is_error: error !== null,
      content: [{ type: 'text', text: outputText }],
    },
  }
}

/** Returns why a call failed, as the prompt states it. */
function errorText(error: McpError): string {
  if ('message' in error) return error.message
  const parts = Array.isArray(error.content) ? (error.content as readonly { readonly text?: unknown }[]) : []
  const texts = parts.flatMap((part) => (typeof part?.text === 'string' ? [part.text] : []))
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(error.content)
}

/** Returns the action of a search that the client sends back. @throws RequestError */
export function readSearch(input: Fields, param: string): object {
  const [query, url, pattern] = ['query', 'url', 'pattern'].map((name) => optionalTextIn(input, name, param))
  if (pattern !== undefined) return { type: 'find_in_page', pattern, url: url ?? '' }
  return url === undefined ? { type: 'search', query: query ?? '' } : { type: 'open_page', url }
}

/** Returns the fields that the result of an MCP call adds to its item. @param text - of its blocks */
export function readMcpResult(text: string, isError: boolean): object {
  if (!isError) return { output: text, error: null }
  return { output: null, error: { type: 'mcp_tool_execution_error', content: [{ type: 'text', text }] } }
}
