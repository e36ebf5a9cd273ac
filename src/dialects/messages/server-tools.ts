import { undatedType } from '../../core/recipients/undated-type.js'
import type {
  McpCallItem,
  McpError,
  OutputItem,
  WebSearchAction,
  WebSearchCallItem,
  WebSearchSource,
} from '../../core/responses/items.js'
import type { McpTool, UnknownTool } from '../../core/responses/request.js'
import type { Fields } from '../../shared/fields.js'
import { optionalTextIn } from '../../shared/request-fields.js'
import type {
  MessageMcpToolResultBlock,
  MessageMcpToolUseBlock,
  MessageServerToolUseBlock,
  MessageWebSearchToolResultBlock,
} from './message.js'
import { toolInput } from './tool-input.js'

/*
 * Calls that the server runs and that this API has blocks for: web searches, and tools of MCP servers. Each is two
 * blocks, the call and its result, which come back as one item.
 */

export type ServerCallItem = WebSearchCallItem | McpCallItem

/** The two blocks of a call. */
export interface ServerCallBlocks {
  readonly use: MessageServerToolUseBlock | MessageMcpToolUseBlock
  readonly result: MessageWebSearchToolResultBlock | MessageMcpToolResultBlock
}

/**
 * Returns a test for the calls that a client is shown, once they have ended: those of tools that its request declares.
 * A client cannot handle calls of others.
 *
 * @param declared - the tools of the request
 */
export function shownCalls(declared: readonly UnknownTool[]): (item: OutputItem) => item is ServerCallItem {
  const labels = new Set(declared.map((tool) => (tool.type === 'mcp' ? (tool as McpTool).server_label : undefined)))
  const hasSearch = declared.some(({ type }) => undatedType(type) === 'web_search')
  return (item): item is ServerCallItem =>
    item.type === 'mcp_call' ? labels.has(item.server_label) : item.type === 'web_search_call' && hasSearch
}

/** @param isPastLimit - whether it is a search beyond the client's limit */
export function serverCallBlocks(item: ServerCallItem, isPastLimit: boolean): ServerCallBlocks {
  return item.type === 'mcp_call' ? mcpBlocks(item) : searchBlocks(item, isPastLimit)
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
