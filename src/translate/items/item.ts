import type { Recipient } from '../../recipients/recipient.js'
import type { ItemEventFields, ItemScopedEvent, ResponseStreamEvent } from '../../responses/events.js'
import type { CodeOutput, Logprob, OutputItem } from '../../responses/items.js'
import type { NoticeCode } from '../diagnostics.js'
import type { IdPrefix } from '../ids.js'
import type { Sequencer } from '../sequencer.js'
import { createTextBuffer, type TextBuffer } from '../text-buffer.js'
import { type CodeInterpreterCall, codeInterpreterCall } from './code-interpreter-call.js'
import { type CustomToolCall, customToolCall } from './custom-tool-call.js'
import { type FunctionCall, functionCall } from './function-call.js'
import { type McpCall, mcpCall } from './mcp-call.js'
import { type Message, message } from './message.js'
import { type Reasoning, reasoning } from './reasoning.js'

/**
 * How far an item is: `silent` until it is announced, `writing` while the model writes it, `waiting` for its result,
 * `done` once its `output_item.done` is sent, `cut` where it never will be.
 */
export type Stage = 'silent' | 'writing' | 'waiting' | 'done' | 'cut'

/** What every item that is being made has. Plain data: an item can be snapshotted at any moment. */
export interface ItemBase {
  id: string
  /** Position in `response.output`; -1 while silent. */
  outputIndex: number
  stage: Stage
  /** What the model wrote of it: text, arguments, input or code. */
  text: TextBuffer
  /** What it wrote that is in no delta, as long as it may turn out to be nothing. */
  held: string
  /** Whom it calls, to pair it with its result; empty where it calls nobody. */
  callee: string
}

/** An item that is being made, of whatever kind. */
export type Item = Message | Reasoning | FunctionCall | CustomToolCall | McpCall | CodeInterpreterCall

export type ItemType = Item['type']

/** What a host's tool made of a call, as an item understands it. */
export type CallResult =
  | { readonly output: string }
  | { readonly outputs: readonly CodeOutput[] }
  | { readonly error: { readonly code?: string | number; readonly message: string } }

/** The only things an item's code may do to the world. */
export interface Effects {
  /** Numbers events: the next one is drawn once for each, as it is written. */
  readonly sequencer: Sequencer
  /** Writes an event as it is: for deltas, which are many. */
  write(event: ResponseStreamEvent): void
  /** Writes an event about an item, with the next number. */
  tell<Type extends ItemScopedEvent['type']>(item: ItemBase, type: Type, fields: ItemEventFields<Type>): void
  /** The container that the host runs code in. */
  containerId(): string
  /** Whether the request's `include` asks for this. */
  includes(what: string): boolean
  notice(code: NoticeCode, subject: string, text?: string): void
}

/**
 * One kind of output item: what it emits when, and what it is on the wire. Kinds hold no state; the item does. All
 * between `output_item.added` and `output_item.done`, which are the same for every kind and written by the output.
 */
export interface ItemKind<I extends Item> {
  readonly type: I['type']
  readonly prefix: IdPrefix
  /** When it is announced: when its header is complete, or only at its terminator, when its text is whole. */
  readonly opens: 'header' | 'terminator'
  /** What a result from the host does: it completes the item, becomes an item of its own, or is the client's to give. */
  readonly result: 'completes' | 'own item' | 'none'
  /** Whether the client runs it as soon as it is done: such a call must not look whole when it was cut off. */
  readonly isRunByClient: boolean

  create(recipient: Extract<Recipient, { kind: I['type'] }>, base: ItemBase, effects: Effects): I
  /** After `output_item.added`. */
  open?(item: I, effects: Effects): void
  /** More of its text. Never empty. */
  delta(item: I, text: string, logprobs: Logprob[], effects: Effects): void
  /**
   * Its text is over.
   *
   * @returns where the item stands then: `done`, or `waiting` for a result
   */
  close(item: I, outcome: 'completed' | 'incomplete', effects: Effects): 'done' | 'waiting'
  /** Its result came; null where none ever will. Only for kinds whose result `completes` them. */
  settle?(item: I, result: CallResult | null, effects: Effects): void
  /** A detached copy in its wire form, as of now. */
  wire(item: I): OutputItem
}

/** Every kind of item. To add one: a file beside this one, a line here. */
const KINDS: { readonly [T in ItemType]: ItemKind<Extract<Item, { type: T }>> } = {
  message,
  reasoning,
  function_call: functionCall,
  custom_tool_call: customToolCall,
  mcp_call: mcpCall,
  code_interpreter_call: codeInterpreterCall,
}

/** The kind of an item. */
export function kindOf(item: Item): ItemKind<Item> {
  return kindNamed(item.type)
}

/** Whether items of this type are made. Web search and shell calls are not yet. */
export function hasKind(type: string): boolean {
  return Object.hasOwn(KINDS, type)
}

/** A silent item for a message to this recipient. */
export function createItem(recipient: Extract<Recipient, { kind: ItemType }>, callee: string, effects: Effects): Item {
  const base: ItemBase = { id: '', outputIndex: -1, stage: 'silent', text: createTextBuffer(), held: '', callee }
  // A recipient's kind is its item's type, which is what the table is looked up by.
  return kindNamed(recipient.kind).create(recipient as never, base, effects)
}

/** The one cast of the table: the compiler does not see that what is looked up by an item's type fits that item. */
function kindNamed(type: ItemType): ItemKind<Item> {
  return KINDS[type] as unknown as ItemKind<Item>
}
