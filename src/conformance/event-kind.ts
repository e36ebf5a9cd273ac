import { lookUp } from './stream-event.js'

/** What an event is, by its type alone. */
export interface EventKind {
  /** The one text for all events of the type, which is compared at once: those off the wire letter by letter. */
  readonly type: string
  /** It ends the stream. */
  readonly isTerminal: boolean
  /** It is of the response's life, and carries the response whole. */
  readonly isLifecycle: boolean
  /** It announces an item. */
  readonly isItemAdded: boolean
  /** An item is over. */
  readonly isItemDone: boolean
  /** It announces a part of an item: of its content, or of its summary. */
  readonly isPartAdded: boolean
  /** A part is over. */
  readonly isPartDone: boolean
  /** It announces a part, as the API does or as servers do of their own: vLLM's `response.reasoning_part`. */
  readonly opensPart: boolean
  /** A part is over, likewise. */
  readonly closesPart: boolean
  /** It tells text of a part, in pieces or as a whole. */
  readonly isText: boolean
  /** It adds to a text of whatever it is about. */
  readonly isDelta: boolean
  /** It says that whatever it is about is over. */
  readonly isDone: boolean
  /** It counts in summary_index: all others that are about a part count in content_index. */
  readonly isOfSummary: boolean
  /** It is about an item: all but those of the response, and of sounds. */
  readonly isOfItem: boolean
  /** It is of a command of a shell call, as it is or as an extension: no server says of which item. */
  readonly isOfShellCommand: boolean
  /** The type of the part whose text it tells, where its own type says so. */
  readonly partType: string | undefined
  /** The type of the items that it is for, where its own type says so. */
  readonly owner: string | undefined
}

const TERMINAL = /^response\.(completed|incomplete|failed)$/
const BEGINNING = /^response\.(created|queued|in_progress)$/
const PART = /^response\.(?:content|reasoning_summary)_part\.(added|done)$/
const TEXT = /^response\.(output_text|refusal|reasoning_text|reasoning|reasoning_summary_text)\.(delta|done)$/
const OF_ITEM = /^(\w+:)?response\.(?!(created|queued|in_progress|completed|incomplete|failed)$|audio\.)\w+\./
const SHELL_COMMAND = /(^|:)response\.shell_call_command\./

/** Of which items events are, by the second word of their types. */
const OWNERS: Readonly<Record<string, string>> = {
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

/** The type of the items that an event of some type is for, where its type says so. */
export function ownerOf(type: string): string | undefined {
  const [prefix, word = '', moment] = type.split('.')
  return prefix === 'response' && moment !== undefined ? lookUp(OWNERS, word) : undefined
}

export function kindOf(type: string): EventKind {
  const isTerminal = TERMINAL.test(type)
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
    owner: ownerOf(type),
  }
}

// What invariants look at.

export const isTerminal = ({ isTerminal }: EventKind): boolean => isTerminal
export const isLifecycle = ({ isLifecycle }: EventKind): boolean => isLifecycle
export const isItemAdded = ({ isItemAdded }: EventKind): boolean => isItemAdded
export const isItemDone = ({ isItemDone }: EventKind): boolean => isItemDone
/** The event brings an item whole. */
export const hasItem = ({ isItemAdded, isItemDone }: EventKind): boolean => isItemAdded || isItemDone
export const isOfItem = ({ isOfItem }: EventKind): boolean => isOfItem
export const isPartAdded = ({ isPartAdded }: EventKind): boolean => isPartAdded
export const isPartDone = ({ isPartDone }: EventKind): boolean => isPartDone
