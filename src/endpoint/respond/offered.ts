import { builtinOfItem, type HostedBuiltin } from '../../core/recipients/builtin-tools.js'
import { withConversationTools } from '../../core/recipients/conversation-tools.js'
import { readToolChoice } from '../../core/recipients/tool-choice.js'
import { undatedType } from '../../core/recipients/undated-type.js'
import type { BuiltinWires } from '../../core/responses/items.js'
import type { McpTool, ResponseRequest, UnknownTool } from '../../core/responses/request.js'
import { merged } from '../../shared/merged.js'
import type { OperatorAdditions } from '../journal/entry.js'

/** A tool that the host runs, declared as in a request. */
export type OfferedTool = McpTool | BuiltinWires[HostedBuiltin]['tool']

/**
 * The operator's additions to each response, independent of its request. The model sees them, the client does not: the
 * response echoes the request unchanged.
 */
export interface OperatorOffer {
  /**
   * MCP servers and functions of the host by their labels, and built-in tools that one of `tools` answers. Tools that
   * the request declares itself are not offered again. Their calls need no approval, unless `require_approval` says so.
   * A request that demands a call by `tool_choice`, or allows none, is offered no tools.
   */
  readonly tools?: readonly OfferedTool[]
  /** Instructions before the client's own. */
  readonly instructions?: string
  /** The reasoning effort of a request that names none. Default `medium`. */
  readonly effort?: 'low' | 'medium' | 'high'
  /**
   * How to treat a request that declares a tool of the same name: `refuse` answers 400; `client` offers only the
   * others. Default `refuse`.
   */
  readonly onClash?: 'refuse' | 'client'
  /**
   * How `allowed_tools` of a request applies to offered tools, which it cannot name: `narrow` excludes them; `ignore`
   * keeps them, so that it restricts only the client's own tools. Default `narrow`.
   */
  readonly allowedTools?: 'narrow' | 'ignore'
}

/**
 * Returns the offered tools that apply to this request: none if it demands a call, which has to be one of its own, or
 * allows none; and not those that it declares itself.
 *
 * @param request - with the tools of its conversation
 */
export function toolsFor(request: ResponseRequest, { tools = [] }: OperatorOffer): readonly OfferedTool[] {
  const { tool_choice: choice } = request
  if (tools.length === 0 || choice === 'none' || readToolChoice(choice).demand !== undefined) return []
  const declared = new Set((request.tools ?? []).map(keyOf))
  return tools.filter((tool) => !declared.has(keyOf(tool)))
}

function keyOf(tool: UnknownTool): string {
  const { type, server_label: label } = tool as Partial<McpTool> & UnknownTool
  return JSON.stringify([undatedType(type), label])
}

/** Distinguishes calls of offered tools from those of tools that the request declares. */
export function offeredCalls(
  request: ResponseRequest,
  offered: OperatorOffer = {},
): (call: { readonly type: string; readonly server_label?: unknown }) => boolean {
  // Most hosts offer nothing, and a conversation may declare many tools.
  if ((offered.tools ?? []).length === 0) return () => false
  return callsOf(toolsFor(withConversationTools(request).request, offered))
}

/** Returns a test for calls of these tools. */
export function callsOf(tools: readonly UnknownTool[]): ReturnType<typeof offeredCalls> {
  const keys = new Set(tools.map(keyOf))
  return ({ type, server_label }) => {
    const declared = type === 'mcp_call' ? { type: 'mcp', server_label } : { type: builtinOfItem(type) ?? type }
    return keys.has(keyOf(declared))
  }
}

/** Returns the request with the operator's additions, for the model. The response echoes it without them. */
export function withAdditions(request: ResponseRequest, additions: OperatorAdditions | undefined): ResponseRequest {
  if (additions === undefined) return request
  const { tools = [], instructions, effort, isExempt = false, asks = {} } = additions
  const own = (request.tools ?? []).map((tool) => (isAskedOf(tool, asks) ? withRule(tool, asks) : tool))
  const instructionTexts = [instructions, request.instructions].filter((text) => text)
  return merged(request, {
    ...(own.length + tools.length > 0 && { tools: [...own, ...tools] as NonNullable<ResponseRequest['tools']> }),
    ...(instructionTexts.length > 0 && { instructions: instructionTexts.join('\n\n') }),
    ...(effort !== undefined && { reasoning: { ...request.reasoning, effort: request.reasoning?.effort ?? effort } }),
    ...(isExempt && { tool_choice: alsoAllowing(request.tool_choice, tools) }),
  })
}

function isAskedOf(tool: UnknownTool, asks: NonNullable<OperatorAdditions['asks']>): tool is McpTool {
  return tool.type === 'mcp' && Object.hasOwn(asks, (tool as McpTool).server_label)
}

function withRule(tool: McpTool, asks: NonNullable<OperatorAdditions['asks']>): McpTool {
  return { ...tool, require_approval: ruleOf(asks[tool.server_label] ?? []) }
}

/** Returns a rule by which calls of these tools need an approval, and no others. */
export function ruleOf(toolNames: readonly string[]): NonNullable<McpTool['require_approval']> {
  return toolNames.length === 0 ? 'never' : { always: { tool_names: [...toolNames] }, never: {} }
}

/** Extends a list of allowed tools by all of these. */
function alsoAllowing(choice: unknown, tools: readonly UnknownTool[]): unknown {
  const { type, tools: allowed } = Object(choice) as { readonly type?: unknown; readonly tools?: readonly unknown[] }
  if (type !== 'allowed_tools') return choice
  const entries = tools.map((tool) => {
    const { server_label } = tool as Partial<McpTool>
    return { type: tool.type, ...(server_label !== undefined && { server_label }) }
  })
  return { ...(choice as object), tools: [...(allowed ?? []), ...entries] }
}
