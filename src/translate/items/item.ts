import type { Recipient } from '../../recipients/recipient.js'
import type { ItemEventFields, ItemScopedEvent, ResponseStreamEvent } from '../../responses/events.js'
import type { OutputItem } from '../../responses/items.js'
import type { ScoredText } from '../citation-stage.js'
import type { NoticeCode } from '../diagnostics.js'
import type { HostItem } from '../host-item.js'
import type { IdPrefix } from '../ids.js'
import type { Listing } from '../mcp-listing.js'
import type { TranslatorOptions } from '../options.js'
import type { Pages } from '../pages.js'
import type { TextBuffer } from '../text-buffer.js'
import type { CallResult } from '../tool-result.js'
import type { CodeInterpreterCall } from './code-interpreter-call.js'
import type { CustomToolCall } from './custom-tool-call.js'
import type { FunctionCall } from './function-call.js'
import type { InsertedItem } from './host-item.js'
import type { LocalShellCall } from './local-shell-call.js'
import type { McpApprovalRequest } from './mcp-approval-request.js'
import type { McpCall } from './mcp-call.js'
import type { McpListTools } from './mcp-list-tools.js'
import type { Message } from './message.js'
import type { Reasoning } from './reasoning.js'
import type { ShellCall } from './shell-call.js'
import type { ShellCallOutput } from './shell-call-output.js'
import type { WebSearchCall } from './web-search-call.js'

/**
 * How far an item is: `silent` until it is announced, `writing` while the model writes it, `waiting` for its result,
 * `done` once nothing more can come of it, `cut` where its `output_item.done` never will.
 */
export type Stage = 'silent' | 'writing' | 'waiting' | 'done' | 'cut'

/** What an item says of itself. Hosted calls have states of their own, and can fail. */
export type ItemStatus = 'in_progress' | 'searching' | 'interpreting' | 'completed' | 'incomplete' | 'failed'

/** What every item that is being made has. Plain data: an item can be snapshotted at any moment. */
export interface ItemBase {
  id: string
  /** Position in `response.output`; -1 while silent. */
  outputIndex: number
  stage: Stage
  status: ItemStatus
  /** What the model wrote of it: text, arguments, input or code. */
  text: TextBuffer
  /** What it wrote that is in no delta, as long as it may turn out to be nothing. */
  held: string
  /** Whom it calls, to pair it with its result; empty where no result of the host's comes. */
  callee: string
}

/** An item that is being made, of whatever kind. */
export type Item =
  | Message
  | Reasoning
  | FunctionCall
  | CustomToolCall
  | McpListTools
  | McpApprovalRequest
  | McpCall
  | CodeInterpreterCall
  | WebSearchCall
  | ShellCall
  | ShellCallOutput
  | LocalShellCall
  | InsertedItem

export type ItemType = Item['type']

/** What an item is made of: whom a message of the model addresses, or what the host has to tell. */
export type Subject =
  | Exclude<Recipient, { kind: 'mcp_call' }>
  | (Extract<Recipient, { kind: 'mcp_call' }> & { readonly approvalRequestId?: string })
  | { readonly kind: 'mcp_list_tools'; readonly listing: Listing }
  | { readonly kind: 'host_item'; readonly host: HostItem }
  | { readonly kind: 'shell_call_output'; readonly call: ShellCall; readonly result: CallResult }

/** How the model's reasoning is shown: as it is, or as a summary. */
export type ReasoningForm = 'raw' | 'summary'

/** The only things an item's code may do to the world, and what it may know of it. */
export interface ItemContext {
  /** What of the host's choices an item has to know. */
  readonly options: Pick<TranslatorOptions, 'sealReasoning' | 'citations'>
  /** The pages that the model's browser has shown. */
  readonly pages: Pages
  /** The next id. */
  id(prefix: IdPrefix): string
  /** The number of the next event: drawn once for each, as it is written. */
  next(): number
  /** Writes an event as it is: for deltas, which are many. */
  emit(event: ResponseStreamEvent): void
  /** Writes an event about an item, with the next number. */
  emitFor<Type extends ItemScopedEvent['type']>(item: ItemBase, type: Type, fields: ItemEventFields<Type>): void
  /** The container in which the host runs what this tool is given. */
  containerId(tool: 'code_interpreter' | 'shell'): string
  /** How reasoning is shown: as the host says, else as the request asks. */
  reasoningForms(): readonly ReasoningForm[]
  /** Whether the request's `include` asks for this. */
  includes(what: string): boolean
  notice(code: NoticeCode, subject: string, text?: string): void
}

/** What an item has beside what every item has, and what of that is not as it begins for others. */
type Own<I extends Item> = Omit<I, keyof ItemBase | 'type'> & Partial<ItemBase>

/**
 * One kind of output item: what it emits when, and what it is on the wire. Kinds hold no state; the item does. All
 * between `output_item.added` and `output_item.done`, which are the same for every kind and written by the output.
 */
export interface ItemKind<I extends Item> {
  readonly prefix: IdPrefix
  /** When it is announced: at its terminator, when its text is whole. By default when its header is complete. */
  readonly opens?: 'terminator'
  /** What a result from the host does: it completes the item, or becomes an item of its own. By default none comes. */
  readonly result?: 'completes' | 'own item'
  /** Whether a client may run it as soon as it is done: such a call must not look whole when it was cut off. */
  readonly isRunByClient?: true
  /** Whether the API gives it no `status`. */
  readonly hasNoStatus?: true

  /** What it has of its own, and of the base what is not as it is for others. */
  create(subject: Extract<Subject, { kind: I['type'] }>, context: ItemContext): Own<I>
  /** After `output_item.added`. */
  open?(item: I, context: ItemContext): void
  /**
   * More of its text, never empty. Without it the text is only kept.
   *
   * @param tokens - the text's, where their probabilities are asked for
   */
  delta?(item: I, text: string, context: ItemContext, tokens: readonly ScoredText[]): void
  /** Of kinds that open at the terminator: its text is whole, and it is about to be announced. */
  ready?(item: I, context: ItemContext): void
  /** Nothing more will come: text that was held back goes out. */
  release?(item: I, context: ItemContext): void
  /** Its text is over. Where a result is to come it is `waiting` now, else `done`. */
  close?(item: I, outcome: 'completed' | 'incomplete', context: ItemContext): void
  /** Its result came; null where none ever will. Only for kinds whose result `completes` them. */
  resolve?(item: I, result: CallResult | null, context: ItemContext): void
  /** A detached copy in its wire form, as of now, behind `type`, `id` and `status`. */
  wire(item: I): Omit<Extract<OutputItem, { type: I['type'] }>, 'type' | 'id' | 'status'>
}
