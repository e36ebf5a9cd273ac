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

interface Lifecycle<Name extends string> extends Sequenced {
  type: `response.${Name}`
  response: Response
}

/** The first event of every stream, with the response as it begins: `in_progress`, or `queued`, and no output. */
export interface ResponseCreatedEvent extends Lifecycle<'created'> {}
/** A response in the background waits for its turn: after `response.created`, before `response.in_progress`. */
export interface ResponseQueuedEvent extends Lifecycle<'queued'> {}
/** The model has begun to work on the response. `response` is the same object with no output yet. */
export interface ResponseInProgressEvent extends Lifecycle<'in_progress'> {}
/** The last event of a response that ended well: `response` has the whole output and the token counts. */
export interface ResponseCompletedEvent extends Lifecycle<'completed'> {}
/** Also ends a cancelled response, whose status says so: the API has no event for it. */
export interface ResponseIncompleteEvent extends Lifecycle<'incomplete'> {}
/** The last event of a response that failed: `response.error` says why. Items that were open stay open. */
export interface ResponseFailedEvent extends Lifecycle<'failed'> {}

/** Why a response fails, before its `response.failed`. The fields are nested in `error`, as in the streams of the API. */
export interface ErrorEvent extends Sequenced {
  type: 'error'
  error: { type: string; code: string; message: string; param: string | null }
}

/** An item begins: `item` is its first state, `in_progress` and mostly empty. Its events follow. */
export interface OutputItemAddedEvent extends Sequenced {
  type: 'response.output_item.added'
  output_index: number
  item: OutputItem
}
/** An item is complete: `item` is its last state, as the terminal event has it. */
export interface OutputItemDoneEvent extends Sequenced {
  type: 'response.output_item.done'
  output_index: number
  item: OutputItem
}

/** A part of an item's content begins: text of a message, or of reasoning. `part` is empty. */
export interface ContentPartAddedEvent extends OfPart {
  type: 'response.content_part.added'
  part: OutputText | ReasoningText
}
/** A part of an item's content is complete, with its whole text. */
export interface ContentPartDoneEvent extends OfPart {
  type: 'response.content_part.done'
  part: OutputText | ReasoningText
}

/** The next piece of an answer, in `delta`, and the log-probabilities of its tokens if the request includes them. */
export interface OutputTextDeltaEvent extends OfPart {
  type: 'response.output_text.delta'
  delta: string
  logprobs: Logprob[]
}
/** The complete text of a part of an answer, with the log-probabilities of all its tokens. */
export interface OutputTextDoneEvent extends OfPart {
  type: 'response.output_text.done'
  text: string
  logprobs: Logprob[]
}

/** A citation in the text so far. */
export interface OutputTextAnnotationAddedEvent extends OfPart {
  type: 'response.output_text.annotation.added'
  /** Position of the annotation in its part, from 0. */
  annotation_index: number
  annotation: Citation
}

/** The next piece of the model's raw reasoning, in `delta`. */
export interface ReasoningTextDeltaEvent extends OfPart {
  type: 'response.reasoning_text.delta'
  delta: string
}
/** The complete raw reasoning of a part. */
export interface ReasoningTextDoneEvent extends OfPart {
  type: 'response.reasoning_text.done'
  text: string
}

/** A part of the summary of reasoning begins. */
export interface ReasoningSummaryPartAddedEvent extends OfSummary {
  type: 'response.reasoning_summary_part.added'
  part: SummaryText
}
/** The next piece of a summary, in `delta`. */
export interface ReasoningSummaryTextDeltaEvent extends OfSummary {
  type: 'response.reasoning_summary_text.delta'
  delta: string
}
/** The complete text of a part of the summary. */
export interface ReasoningSummaryTextDoneEvent extends OfSummary {
  type: 'response.reasoning_summary_text.done'
  text: string
}
/** A part of the summary is complete. */
export interface ReasoningSummaryPartDoneEvent extends OfSummary {
  type: 'response.reasoning_summary_part.done'
  part: SummaryText
}

/** The next piece of a function call's arguments, in `delta`: JSON that may be cut anywhere. */
export interface FunctionCallArgumentsDeltaEvent extends OfItemText<'function_call_arguments.delta', 'delta'> {}
/** A function call's complete arguments, in `arguments`. They are what the model wrote, which may not be JSON. */
export interface FunctionCallArgumentsDoneEvent extends OfItemText<'function_call_arguments.done', 'arguments'> {}

/** The next piece of a custom tool's input, in `delta`. */
export interface CustomToolCallInputDeltaEvent extends OfItemText<'custom_tool_call_input.delta', 'delta'> {}
/** A custom tool's complete input, in `input`. */
export interface CustomToolCallInputDoneEvent extends OfItemText<'custom_tool_call_input.done', 'input'> {}

/** The host asks an MCP server for its tools. */
export interface McpListToolsInProgressEvent extends OfItemOnly<'mcp_list_tools.in_progress'> {}
/** An MCP server's tools are listed, in `response.output_item.done`. */
export interface McpListToolsCompletedEvent extends OfItemOnly<'mcp_list_tools.completed'> {}
/** An MCP server's tools could not be listed: the item has the `error`. */
export interface McpListToolsFailedEvent extends OfItemOnly<'mcp_list_tools.failed'> {}

/** The model begins to call an MCP server's tool. */
export interface McpCallInProgressEvent extends OfItemOnly<'mcp_call.in_progress'> {}
/** The call of an MCP server's tool has a result, in `output` of its item. */
export interface McpCallCompletedEvent extends OfItemOnly<'mcp_call.completed'> {}
/** The call of an MCP server's tool failed: its item has the `error`. */
export interface McpCallFailedEvent extends OfItemOnly<'mcp_call.failed'> {}
/** The next piece of an MCP call's arguments, in `delta`. */
export interface McpCallArgumentsDeltaEvent extends OfItemText<'mcp_call_arguments.delta', 'delta'> {}
/** An MCP call's complete arguments, in `arguments`. */
export interface McpCallArgumentsDoneEvent extends OfItemText<'mcp_call_arguments.done', 'arguments'> {}

/** The last event of a response. Every stream has exactly one, and nothing follows it. */
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

/** The fields that the emitter of an item's event adds. Events about a shell call's command have no `item_id`. @inline */
type AboutItem = 'sequence_number' | 'output_index' | 'item_id'

/** An event of an item without the fields that say which item: `sequence_number`, `output_index` and `item_id`. */
export type ItemEventPayload<Event> = Event extends unknown ? Omit<Event, AboutItem> : never

/** Any event between `output_item.added` and `output_item.done`. */
export type ItemEvent = ItemEventPayload<ItemEventByType[keyof OutputItemByType]>
