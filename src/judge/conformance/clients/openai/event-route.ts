import { byType } from '../../by-type.js'
import { asFields, type StreamEvent } from '../../stream-event.js'
import { Thrown } from '../thrown.js'

/** The stream helper's treatment of an event, by its type. */
export interface EventRoute {
  /** The helper throws at an event that it does not know. */
  readonly isKnown: boolean
  /** It has the response. */
  readonly isLifecycle: boolean
  /** It has the response at its end. */
  readonly isTerminal: boolean
  /** It has text of reasoning. */
  readonly isReasoning: boolean
  /** The event has no item_id. */
  readonly isNameless: boolean
  /** The type of the item that it is about; `by part` if its part determines that; undefined if it is about none. */
  readonly item: string | undefined
}

export const routeOf: (type: string) => EventRoute = byType((type) => ({
  isKnown: KNOWN.test(type),
  isLifecycle: LIFECYCLE.test(type),
  isTerminal: TERMINAL.test(type),
  isReasoning: /^response\.reasoning_(summary_)?text\./.test(type),
  isNameless: type.startsWith('response.shell_call_command.'),
  item: /^response\.content_part\./.test(type) ? BY_PART : ITEM_TYPES.find(([events]) => events.test(type))?.[1],
}))

/**
 * The type of the item that an event is about; undefined if it is about none.
 *
 * @throws Thrown if the SDK throws: the event has no part, which would say that
 */
export function itemTypeFor({ part }: StreamEvent, { item }: EventRoute): string | undefined {
  if (item !== BY_PART) return item
  if (part === null || part === undefined) throw new Thrown('openai-part', 'a part', part)
  return asFields(part)['type'] === 'reasoning_text' ? 'reasoning' : 'message'
}

const BY_PART = 'by part'

/**
 * The event types that the stream helper of openai 7.59 accepts, including `keepalive`, which its types do not have.
 */
const KNOWN =
  /^(error|keepalive|response\.(created|queued|in_progress|completed|incomplete|failed|output_item\.(added|done)|content_part\.(added|done)|(output_text|refusal|reasoning_text|reasoning_summary_text|function_call_arguments|custom_tool_call_input|mcp_call_arguments|code_interpreter_call_code)\.(delta|done)|output_text\.annotation\.added|reasoning_summary_part\.(added|done)|(mcp_call|mcp_list_tools)\.(in_progress|completed|failed)|web_search_call\.(in_progress|searching|completed)|file_search_call\.(in_progress|searching|completed)|code_interpreter_call\.(in_progress|interpreting|completed)|image_generation_call\.(in_progress|generating|partial_image|completed)|shell_call_command\.(added|delta|done)|shell_call_output_content\.(delta|done)|audio\.(delta|done)|audio\.transcript\.(delta|done)|compaction\.compacting))$/
const LIFECYCLE = /^response\.(created|queued|in_progress|completed|incomplete|failed)$/
const TERMINAL = /^response\.(completed|incomplete|failed)$/

const ITEM_TYPES = [
  [/^response\.(output_text|refusal)\./, 'message'],
  [/^response\.reasoning_/, 'reasoning'],
  [/^response\.function_call_arguments\./, 'function_call'],
  [/^response\.custom_tool_call_input\./, 'custom_tool_call'],
  [/^response\.mcp_call(_arguments)?\./, 'mcp_call'],
  [/^response\.mcp_list_tools\./, 'mcp_list_tools'],
  [/^response\.code_interpreter_call(_code)?\./, 'code_interpreter_call'],
  [/^response\.file_search_call\./, 'file_search_call'],
  [/^response\.web_search_call\./, 'web_search_call'],
  [/^response\.image_generation_call\./, 'image_generation_call'],
  [/^response\.shell_call_command\./, 'shell_call'],
  [/^response\.shell_call_output_content\./, 'shell_call_output'],
  [/^response\.compaction\./, 'compaction'],
] as const
