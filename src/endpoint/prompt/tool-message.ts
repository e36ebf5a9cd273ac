import { FUNCTIONS } from '../../core/harmony/namespaces.js'
import { builtinCalled, textOfData } from '../../core/recipients/builtin-tools.js'
import { linesOf } from '../../core/recipients/shell-text.js'
import type { CallResult } from '../../core/responses/call-result.js'
import type { OutputItem, OutputItemByType } from '../../core/responses/items.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aString, aTokenTable } from '../../shared/options/checks.js'
import { atOnce, createWork, type Slices } from '../../shared/slices.js'
import { type Callee, resultMessage } from './conversation.js'
import type { RenderedMessages } from './prompt-message.js'
import { renderMessagesInSlices } from './render-messages.js'

/** Options of `renderToolResult`. */
export interface ToolMessageOptions {
  /** The vocabulary, by which texts become ids. */
  readonly tokenTable: TokenTable
  /** The recipient as the model wrote it. Default: the recipient by which the item's tool is taught. */
  readonly recipient?: string
}

const TOOL_MESSAGE_OPTIONS: OptionTable<ToolMessageOptions> = { tokenTable: aTokenTable, recipient: aString }

/**
 * Renders the message by which a tool answers the model, to continue a transcript: pass the ids to
 * `translator.toolResult({ itemId, ...result, transcript: ids })`, and to the engine. The text of a result cannot forge
 * messages: it never becomes a control token.
 *
 * @param item - the call, as it was streamed
 * @returns ids from `<|start|>` to `<|end|>`, without the `<|start|>assistant` of the next turn
 * @throws HarmonyResponsesError `bad_option` if the item is not a call, or an option is invalid
 *
 * @example
 * ```ts
 * import { loadTokenTable, Translator } from 'harmony-responses'
 * import { renderToolResult } from 'harmony-responses/prompt'
 *
 * const tokenTable = await loadTokenTable()
 * const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
 * const translator = new Translator({ request: { tools }, tokenTable })
 * send(translator.push('<|channel|>analysis to=python code<|message|>123*456<|call|>'))
 * const [call] = translator.response.output
 * if (call?.type === 'code_interpreter_call') {
 *   const transcript = renderToolResult(call, { output: '56088' }, { tokenTable })
 *   send(translator.toolResult({ itemId: call.id, output: '56088', transcript }))
 * }
 * ```
 */
export function renderToolResult(item: OutputItem, result: CallResult, options: ToolMessageOptions): number[] {
  checkOptions('renderToolResult', options, TOOL_MESSAGE_OPTIONS, ['tokenTable'])
  return atOnce(renderToolResultInSlices(item, result, options))
}

/** Does the same in slices. */
export function* renderToolResultInSlices(
  item: OutputItem,
  result: CallResult,
  { tokenTable, recipient }: ToolMessageOptions,
): Slices<number[]> {
  const callee = calleeOf(item)
  check(callee !== undefined, 'item', 'a call', item.type)
  const message = resultMessage(
    { ...callee, ...(recipient !== undefined && { recipient }) },
    textOfResult(result, item.id),
  )
  const rendered = yield* renderMessagesInSlices([message], { tokenTable, work: createWork() })
  return Array.from((rendered as RenderedMessages).tokens)
}

/** The calls of tools that are not built in: the recipient of each, and its channel in gpt-oss. */
const CALLEES: { readonly [Kind in keyof OutputItemByType]?: (item: OutputItemByType[Kind]) => Callee } = {
  function_call: functionCallee,
  custom_tool_call: functionCallee,
  mcp_call: mcpCallee,
  mcp_approval_request: mcpCallee,
}

function functionCallee({ name, namespace }: { readonly name: string; readonly namespace?: string }): Callee {
  return { recipient: `${namespace ?? FUNCTIONS}.${name}`, channel: 'commentary' }
}

function mcpCallee({ server_label, name }: { readonly server_label: string; readonly name: string }): Callee {
  return { recipient: `${server_label}.${name}`, channel: 'commentary' }
}

function calleeOf(item: OutputItem): Callee | undefined {
  const builtin = builtinCalled(item)
  if (builtin !== undefined) return { recipient: builtin.recipientOf(item), channel: builtin.channel }
  const callee = CALLEES[item.type] as ((item: OutputItem) => Callee) | undefined
  return callee?.(item)
}

/**
 * Returns the text of a result for the model. An error follows the tool's earlier output. The descriptors of built-in tools
 * format fresh results and the items that clients send back with the same code, so that the next prompt contains exactly the
 * text that the model saw.
 *
 * @param callId - the id of the call's item
 */
function textOfResult(result: CallResult, callId: string): string {
  const { output, error } = result
  const given = output ?? textOfData(result, callId) ?? ''
  return error === undefined ? given : linesOf(given, error.message)
}
