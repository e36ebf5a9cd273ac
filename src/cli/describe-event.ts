import type { HarmonyEvent, HarmonyHeader } from '../core/harmony/events.js'
import { patchText } from '../core/recipients/apply-patch.js'
import { builtinCalled } from '../core/recipients/builtin-tools.js'
import { qualifiedName } from '../core/recipients/qualified-name.js'
import type { ResponseStreamEvent } from '../core/responses/events.js'
import type { Citation, OutputItem, WebSearchAction } from '../core/responses/items.js'
import type { Response } from '../core/responses/response.js'
import { excerpt } from './terminal-text.js'

/** The length of a text's excerpt in a line: whole texts have already been shown as deltas. */
const EXCERPT = 40
const REMINDER = 16

/** Describes an event in one line: its item, its type without `response.`, and its significant fields. */
export function describeEvent(event: ResponseStreamEvent): string {
  const name = event.type.replace(/^response\./, '')
  const item = 'output_index' in event ? `#${event.output_index} ` : ''
  return `${item}${name} ${orElse('', () => factsOf(event))}`.trimEnd()
}

function factsOf(event: ResponseStreamEvent): string {
  if (event.type === 'response.shell_call_output_content.delta') return excerpt(printedOutput(event.delta), EXCERPT)
  if ('delta' in event) return excerpt(event.delta, EXCERPT)
  switch (event.type) {
    case 'response.created':
    case 'response.queued':
    case 'response.in_progress':
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
      return describeResponse(event.response)
    case 'error':
      return `${event.error.code} ${excerpt(event.error.message, EXCERPT)}`
    case 'response.output_item.added':
      return `${describeItem(event.item)} ${shortId(event.item.id)}`
    case 'response.output_item.done':
      return `${describeItem(event.item)} ${statusOf(event.item)}`
    case 'response.content_part.added':
    case 'response.content_part.done':
      return event.part.type
    case 'response.output_text.done':
    case 'response.reasoning_text.done':
    case 'response.reasoning_summary_text.done':
      return excerpt(event.text, REMINDER)
    case 'response.function_call_arguments.done':
    case 'response.mcp_call_arguments.done':
      return excerpt(event.arguments, REMINDER)
    case 'response.custom_tool_call_input.done':
      return excerpt(event.input, REMINDER)
    case 'response.code_interpreter_call_code.done':
      return excerpt(event.code, REMINDER)
    case 'response.shell_call_command.done':
      return excerpt(event.command, REMINDER)
    case 'response.output_text.annotation.added':
      return citationText(event.annotation)
    default:
      return ''
  }
}

function citationText(citation: Citation): string {
  if (citation.type === 'file_citation') return `${citation.index} ${citation.filename}`
  return `${citation.start_index}-${citation.end_index} ${citation.url}`
}

/** Describes the kind of an item, and its callee. */
export function describeItem(item: OutputItem): string {
  return orElse(item.type, () => calleeOf(item))
}

/** Describes the content and the outcome of an item. */
export function describeContent(item: OutputItem): string {
  return orElse('', () => contentOf(item) ?? '')
}

/** Describes an item, or falls back to less: an item that the host inserted may lack the fields of its type. */
function orElse(less: string, describe: () => string): string {
  try {
    return describe()
  } catch {
    return less
  }
}

function calleeOf(item: OutputItem): string {
  switch (item.type) {
    case 'message':
      return `message ${item.phase}`
    case 'mcp_call':
    case 'mcp_approval_request':
      return `${item.type} ${qualifiedName(item.name, item.server_label)}`
    case 'mcp_list_tools':
      return `mcp_list_tools ${item.server_label}`
    case 'web_search_call':
      return `web_search_call ${item.action.type}`
    case 'function_call':
    case 'custom_tool_call':
      return `${item.type} ${qualifiedName(item.name, item.namespace)} ${shortId(item.call_id)}`
    default:
      return item.type
  }
}

function contentOf(item: OutputItem): string | undefined {
  switch (item.type) {
    case 'reasoning':
      return excerpt([...item.content, ...item.summary].map(({ text }) => text)[0] ?? '', EXCERPT)
    case 'message':
      return excerpt(item.content.map(({ text }) => text).join(''), EXCERPT)
    case 'function_call':
    case 'mcp_approval_request':
      return excerpt(item.arguments, EXCERPT)
    case 'mcp_list_tools':
      return excerpt(item.error ?? item.tools.map(({ name }) => name).join(', '), EXCERPT)
    case 'web_search_call':
      return excerpt(subjectOf(item.action), EXCERPT)
    case 'shell_call':
      return excerpt(item.action.commands.join('; '), EXCERPT)
    case 'shell_call_output':
      return excerpt(item.output.map(printedOutput).join(''), EXCERPT)
    case 'local_shell_call':
      return excerpt(item.action.command.join(' '), EXCERPT)
    case 'apply_patch_call':
      return excerpt(patchText(item.operation), EXCERPT)
    case 'custom_tool_call':
      return excerpt(item.input, EXCERPT)
    case 'mcp_call':
      return withOutcome(item.arguments, item.output ?? undefined)
    case 'code_interpreter_call':
      return withOutcome(
        item.code,
        item.outputs?.map((output) => (output.type === 'logs' ? output.logs : output.url)).join(''),
      )
    default: {
      const action = builtinCalled(item)?.asked(item)
      return action === undefined ? undefined : excerpt(JSON.stringify(action), EXCERPT)
    }
  }
}

/** Returns an item's status; some kinds have none. */
export function statusOf(item: OutputItem): string {
  return 'status' in item && typeof item.status === 'string' ? item.status : ''
}

function subjectOf(action: WebSearchAction): string {
  if (action.type === 'search') return action.query
  return action.type === 'open_page' ? action.url : `${action.pattern} ${action.url}`
}

function printedOutput({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }): string {
  return stdout + stderr
}

function withOutcome(text: string, outcome: string | undefined): string {
  return `${excerpt(text, EXCERPT)}${outcome === undefined ? '' : ` -> ${excerpt(outcome, EXCERPT)}`}`
}

/** Describes a response: its id, and why it ended early. */
export function describeResponse(response: Response): string {
  const { error, incomplete_details: details, status } = response
  const reason = error?.code ?? details?.reason ?? (status === 'cancelled' ? status : undefined)
  return `${shortId(response.id)} ${reason ?? ''}`.trimEnd()
}

/** Describes a parser event in one line. A text equal to the token's adds nothing. */
export function describeHarmony(event: HarmonyEvent, tokenText: string): string {
  switch (event.type) {
    case 'message_start':
      return `message_start ${describeHeader(event.header)}`
    case 'message_text':
      return event.text === tokenText ? 'message_text' : `message_text ${excerpt(event.text, REMINDER)}`
    case 'message_end':
      return `message_end ${event.terminator}`
    case 'repair':
      return `repair ${event.repair.code}`
  }
}

function describeHeader({ role, name, recipient, channel, contentType, constrained }: HarmonyHeader): string {
  const author = name === undefined ? role : `${role}:${name}`
  const to = recipient === undefined ? undefined : `to=${recipient}`
  const type = contentType === undefined ? undefined : `${constrained ? '<|constrain|>' : ''}${contentType}`
  return [author, to, channel, type].filter((word) => word !== undefined).join(' ')
}

/** Shortens an id to its prefix and end, because all ids of a response have the same middle. */
function shortId(id: string): string {
  const from = id.indexOf('_') + 1
  return id.length - from <= 8 ? id : `${id.slice(0, from)}…${id.slice(-4)}`
}
