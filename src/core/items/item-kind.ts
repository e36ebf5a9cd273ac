import type { ScoredText } from '../citations/citation-stage.js'
import type { ListCheck } from '../options/check-list.js'
import type { Recipient } from '../recipients/recipient.js'
import type { CallResult } from '../responses/call-result.js'
import type { OutputItem } from '../responses/items.js'
import type { ItemContext } from './item-context.js'
import type { ItemState } from './item-state.js'
import type { PrefixOf } from './prefixes.js'

/** The fields an item adds to {@link ItemState}, and base fields with other initial values. */
type Own<I extends ItemState> = Omit<I, keyof ItemState> & Partial<Omit<ItemState, 'type'>>

/**
 * One kind of output item: its state while it is written, its deltas and its wire form. State is in the item, never in
 * the kind. The events that say that it begins and ends follow from its wire form: `completion/item-events.ts`.
 *
 * @typeParam I - the item under construction
 * @typeParam S - what it is created from: the recipient of the model's message, or data from the host
 */
export interface ItemKind<I extends ItemState, S = Extract<Recipient, { kind: I['type'] }>> {
  readonly prefix: PrefixOf<I['type']>
  /** `terminator`: added only when its text is complete. Default: added when its header is complete. */
  readonly opens?: 'terminator'
  /**
   * The effect of a result from the host: it completes the item, or becomes an item of its own. Default: it has none.
   */
  readonly result?: 'completes' | 'own item'
  /** The lists of data that its results can contain, each with its check: fields of {@link CallResult}. */
  readonly lists?: { readonly [Name in keyof CallResult]?: ListCheck }
  /** Whether clients run it at `output_item.done`. Such a call never gets that event if it was cut off. */
  readonly isRunByClient?: true
  /** Whether the API's item has no `status`. */
  readonly hasNoStatus?: true
  /** Whether its tokens count as reasoning and are hidden when reasoning is. */
  readonly isReasoning?: true
  /** Whether its deltas carry log-probabilities. */
  readonly isScored?: true

  /** Whether the host runs this call. Default: the host runs all calls of a kind that has a `result`. */
  isHosted?(subject: S): boolean
  /** Creates its own fields. */
  create(subject: S, context: ItemContext): Own<I>
  /**
   * Appends text, never empty. Without this method the text is only stored.
   *
   * @param tokens - the text's tokens, if the request includes log-probabilities
   */
  delta?(item: I, text: string, context: ItemContext, tokens: readonly ScoredText[]): void
  /** Whether text is held back. */
  isHolding?(item: I): boolean
  /** Emits held text, because no more will follow. */
  release?(item: I, context: ItemContext): void
  /**
   * Reads its text, which is complete or cut off, before anything says so. Emits deltas that were held back until here.
   * Called before `output_item.added` for kinds that open at the terminator, whose text is always complete.
   */
  finish?(item: I, context: ItemContext): void
  /** Returns the result of a call that is not allowed to run, so that the host need not provide one. */
  refusal?(item: I): CallResult | undefined
  /** Stores the result; `result` is null if none will come. Only for kinds whose result `completes` them. */
  resolve?(item: I, result: CallResult | null, context: ItemContext): void
  /** Creates the subject of the result's item. Only for kinds whose result is an `own item`. */
  answer?(item: I, result: CallResult): { readonly kind: string }
  /** Returns the called tool, for diagnostics: its name after its server or namespace. Default: the item's type. */
  calls?(item: I): string
  /** Returns a detached copy of its current wire form, without `type`, `id` and `status`. */
  wire(item: I): Omit<Extract<OutputItem, { type: I['type'] }>, 'type' | 'id' | 'status'>
}
