import { lookUp } from './stream-event.js'

/** The facts that an event's type determines. */
export interface EventKind {
  /** The type, as one shared string: comparing it is faster than comparing the strings of parsed events. */
  readonly type: string
  /** It ends the stream. */
  readonly isTerminal: boolean
  /** It reports the status of the response, and has the complete response. */
  readonly isLifecycle: boolean
  /** It is `output_item.added`. */
  readonly isItemAdded: boolean
  /** It is `output_item.done`. */
  readonly isItemDone: boolean
  /** It adds a content or summary part. */
  readonly isPartAdded: boolean
  /** It ends a content or summary part. */
  readonly isPartDone: boolean
  /** It adds a part, including events of other servers, such as vLLM's `response.reasoning_part.added`. */
  readonly opensPart: boolean
  /** It ends a part, including events of other servers. */
  readonly closesPart: boolean
  /** It has text of a part: a delta, or the complete text. */
  readonly isText: boolean
  /** It is a delta of any text. */
  readonly isDelta: boolean
  /** It ends something: a text, a part or an item. */
  readonly isDone: boolean
  /** It has a summary_index instead of a content_index. */
  readonly isOfSummary: boolean
  /** It is about an item: every event except those of the response and of audio. */
  readonly isOfItem: boolean
  /** It is about a shell command, possibly with an extension prefix. These events have no item_id. */
  readonly isOfShellCommand: boolean
  /** The type of the part that its text belongs to, if the event type implies it. */
  readonly partType: string | undefined
  /** The type of the item that it is about, if the event type implies it. */
  readonly itemType: string | undefined
}

const BEGINNING = /^response\.(created|queued|in_progress)$/
const PART = /^response\.(?:content|reasoning_summary)_part\.(added|done)$/
const TEXT = /^response\.(output_text|refusal|reasoning_text|reasoning|reasoning_summary_text)\.(delta|done)$/
const OF_ITEM = /^(\w+:)?response\.(?!(created|queued|in_progress|completed|incomplete|failed)$|audio\.)\w+\./
const SHELL_COMMAND = /(^|:)response\.shell_call_command\./

/** The item type that an event is about, by the second segment of the event type. */
const ITEM_TYPES: Readonly<Record<string, string>> = {
  output_text: 'message',
  refusal: 'message',
  reasoning: 'reasoning',
  reasoning_part: 'reasoning',
  reasoning_text: 'reasoning',
  reasoning_summary_part: 'reasoning',
  reasoning_summary_text: 'reasoning',
  function_call_arguments: 'function_call',
  custom_tool_call_input: 'custom_tool_call',
  mcp_call: 'mcp_call',
  mcp_call_arguments: 'mcp_call',
  mcp_list_tools: 'mcp_list_tools',
  code_interpreter_call: 'code_interpreter_call',
  code_interpreter_call_code: 'code_interpreter_call',
  web_search_call: 'web_search_call',
  file_search_call: 'file_search_call',
  image_generation_call: 'image_generation_call',
  shell_call_command: 'shell_call',
  shell_call_output_content: 'shell_call_output',
}

/** The type of the item that events of this type are about, if the type implies it. */
export function itemTypeOfEvent(type: string): string | undefined {
  const [prefix, word = '', moment] = type.split('.')
  return prefix === 'response' && moment !== undefined ? lookUp(ITEM_TYPES, word) : undefined
}

/** Whether events of this type end a stream. */
export const isTerminalType = (type: string): boolean =>
  type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed'

export function eventKindOf(type: string): EventKind {
  const isTerminal = isTerminalType(type)
  const moment = PART.exec(type)?.[1]
  return {
    type,
    isTerminal,
    isLifecycle: isTerminal || BEGINNING.test(type),
    isItemAdded: type === 'response.output_item.added',
    isItemDone: type === 'response.output_item.done',
    isPartAdded: moment === 'added',
    isPartDone: moment === 'done',
    opensPart: type.endsWith('_part.added'),
    closesPart: type.endsWith('_part.done'),
    isText: TEXT.test(type),
    isDelta: type.endsWith('.delta'),
    isDone: type.endsWith('.done'),
    isOfSummary: type.startsWith('response.reasoning_summary_'),
    isOfItem: OF_ITEM.test(type),
    isOfShellCommand: SHELL_COMMAND.test(type),
    partType: /^response\.(output_text|refusal)\.(delta|done)$/.exec(type)?.[1],
    itemType: itemTypeOfEvent(type),
  }
}

// Selectors for the `on` of a rule.

export const isTerminal = ({ isTerminal }: EventKind): boolean => isTerminal
export const isLifecycle = ({ isLifecycle }: EventKind): boolean => isLifecycle
export const isItemAdded = ({ isItemAdded }: EventKind): boolean => isItemAdded
export const isItemDone = ({ isItemDone }: EventKind): boolean => isItemDone
/** The event has a complete item. */
export const hasItem = ({ isItemAdded, isItemDone }: EventKind): boolean => isItemAdded || isItemDone
export const isOfItem = ({ isOfItem }: EventKind): boolean => isOfItem
export const isPartAdded = ({ isPartAdded }: EventKind): boolean => isPartAdded
export const isPartDone = ({ isPartDone }: EventKind): boolean => isPartDone
