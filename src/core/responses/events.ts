import type {
  BuiltinEvents,
  Citation,
  Logprob,
  OutputItem,
  OutputItemByType,
  OutputText,
  ReasoningText,
  ShellCallOutputContentDeltaEvent,
  ShellCallOutputContentDoneEvent,
  SummaryText,
} from './items.js'
import type { Response } from './response.js'
import type { OfItemOnly, OfItemText, OfPart, OfSummary, Sequenced } from './wire-fields.js'

/**
 * The streaming events this library emits, in their wire form: a subset of the `openai` 7.59 union, except that `error`
 * is nested as on the real wire (the SDK's flat type breaks the AI SDK and Codex when it is sent).
 */

type Lifecycle<Name extends string> = Sequenced & { type: `response.${Name}`; response: Response }

export type ResponseCreatedEvent = Lifecycle<'created'>
/** A response in the background waits for its turn: after `response.created`, before `response.in_progress`. */
export type ResponseQueuedEvent = Lifecycle<'queued'>
export type ResponseInProgressEvent = Lifecycle<'in_progress'>
export type ResponseCompletedEvent = Lifecycle<'completed'>
/** Also ends a cancelled response, whose status says so: the API has no event for it. */
export type ResponseIncompleteEvent = Lifecycle<'incomplete'>
export type ResponseFailedEvent = Lifecycle<'failed'>

export interface ErrorEvent extends Sequenced {
  type: 'error'
  error: { type: string; code: string; message: string; param: string | null }
}

export interface OutputItemAddedEvent extends Sequenced {
  type: 'response.output_item.added'
  output_index: number
  item: OutputItem
}
export interface OutputItemDoneEvent extends Sequenced {
  type: 'response.output_item.done'
  output_index: number
  item: OutputItem
}

export interface ContentPartAddedEvent extends OfPart {
  type: 'response.content_part.added'
  part: OutputText | ReasoningText
}
export interface ContentPartDoneEvent extends OfPart {
  type: 'response.content_part.done'
  part: OutputText | ReasoningText
}

export interface OutputTextDeltaEvent extends OfPart {
  type: 'response.output_text.delta'
  delta: string
  logprobs: Logprob[]
}
export interface OutputTextDoneEvent extends OfPart {
  type: 'response.output_text.done'
  text: string
  logprobs: Logprob[]
}

export interface OutputTextAnnotationAddedEvent extends OfPart {
  type: 'response.output_text.annotation.added'
  /** Position of the annotation in its part, from 0. */
  annotation_index: number
  annotation: Citation
}

export interface ReasoningTextDeltaEvent extends OfPart {
  type: 'response.reasoning_text.delta'
  delta: string
}
export interface ReasoningTextDoneEvent extends OfPart {
  type: 'response.reasoning_text.done'
  text: string
}

export interface ReasoningSummaryPartAddedEvent extends OfSummary {
  type: 'response.reasoning_summary_part.added'
  part: SummaryText
}
export interface ReasoningSummaryTextDeltaEvent extends OfSummary {
  type: 'response.reasoning_summary_text.delta'
  delta: string
}
export interface ReasoningSummaryTextDoneEvent extends OfSummary {
  type: 'response.reasoning_summary_text.done'
  text: string
}
export interface ReasoningSummaryPartDoneEvent extends OfSummary {
  type: 'response.reasoning_summary_part.done'
  part: SummaryText
}

export type FunctionCallArgumentsDeltaEvent = OfItemText<'function_call_arguments.delta', 'delta'>
export type FunctionCallArgumentsDoneEvent = OfItemText<'function_call_arguments.done', 'arguments'>

export type CustomToolCallInputDeltaEvent = OfItemText<'custom_tool_call_input.delta', 'delta'>
export type CustomToolCallInputDoneEvent = OfItemText<'custom_tool_call_input.done', 'input'>

export type McpListToolsInProgressEvent = OfItemOnly<'mcp_list_tools.in_progress'>
export type McpListToolsCompletedEvent = OfItemOnly<'mcp_list_tools.completed'>
export type McpListToolsFailedEvent = OfItemOnly<'mcp_list_tools.failed'>

export type McpCallInProgressEvent = OfItemOnly<'mcp_call.in_progress'>
export type McpCallCompletedEvent = OfItemOnly<'mcp_call.completed'>
export type McpCallFailedEvent = OfItemOnly<'mcp_call.failed'>
export type McpCallArgumentsDeltaEvent = OfItemText<'mcp_call_arguments.delta', 'delta'>
export type McpCallArgumentsDoneEvent = OfItemText<'mcp_call_arguments.done', 'arguments'>

export type TerminalEvent = ResponseCompletedEvent | ResponseIncompleteEvent | ResponseFailedEvent

/** The events between `output_item.added` and `output_item.done`, by the type of their item. */
export interface ItemEventByType extends BuiltinEvents {
  message:
    | ContentPartAddedEvent
    | OutputTextDeltaEvent
    | OutputTextAnnotationAddedEvent
    | OutputTextDoneEvent
    | ContentPartDoneEvent
  reasoning:
    | ContentPartAddedEvent
    | ReasoningTextDeltaEvent
    | ReasoningTextDoneEvent
    | ContentPartDoneEvent
    | ReasoningSummaryPartAddedEvent
    | ReasoningSummaryTextDeltaEvent
    | ReasoningSummaryTextDoneEvent
    | ReasoningSummaryPartDoneEvent
  function_call: FunctionCallArgumentsDeltaEvent | FunctionCallArgumentsDoneEvent
  custom_tool_call: CustomToolCallInputDeltaEvent | CustomToolCallInputDoneEvent
  mcp_list_tools: McpListToolsInProgressEvent | McpListToolsCompletedEvent | McpListToolsFailedEvent
  mcp_approval_request: never
  mcp_call:
    | McpCallInProgressEvent
    | McpCallArgumentsDeltaEvent
    | McpCallArgumentsDoneEvent
    | McpCallCompletedEvent
    | McpCallFailedEvent
  shell_call_output: ShellCallOutputContentDeltaEvent | ShellCallOutputContentDoneEvent
}

/** An event of a response: emitted, numbered, stored and replayed. */
export type ResponseStreamEvent =
  | ResponseCreatedEvent
  | ResponseQueuedEvent
  | ResponseInProgressEvent
  | TerminalEvent
  | ErrorEvent
  | OutputItemAddedEvent
  | OutputItemDoneEvent
  | ItemEventByType[keyof OutputItemByType]

/**
 * A server's sign of life in a silent stream: `harmony-responses/server` and OpenAI send it. It is no event of the
 * response: `translate` never yields it, and it is neither stored nor replayed.
 */
export interface KeepAliveEvent {
  type: 'keepalive'
  /** OpenAI gives it a number of its own. This library's servers repeat that of the last event. */
  sequence_number: number
}

/** An event of a server's stream, as `decodeSse` reads it. */
export type ServedStreamEvent = ResponseStreamEvent | KeepAliveEvent

/** The fields that the emitter of an item's event adds. Events about a shell call's command have no `item_id`. */
type AboutItem = 'sequence_number' | 'output_index' | 'item_id'

/** An event of an item without {@link AboutItem}. */
export type Unaddressed<Event> = Event extends unknown ? Omit<Event, AboutItem> : never

/** Any event between `output_item.added` and `output_item.done`. */
export type ItemEvent = Unaddressed<ItemEventByType[keyof OutputItemByType]>
