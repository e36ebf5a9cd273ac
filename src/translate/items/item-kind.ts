import type { Recipient } from '../../recipients/recipient.js'
import type { OutputItem } from '../../responses/items.js'
import type { ScoredText } from '../citation-stage.js'
import type { IdPrefix } from '../ids.js'
import type { CallResult } from '../tool-result.js'
import type { ItemBase } from './item-base.js'
import type { ItemContext } from './item-context.js'

/** What an item has beside {@link ItemBase}, and the fields of the base that begin differently. */
type Own<I extends ItemBase> = Omit<I, keyof ItemBase> & Partial<Omit<ItemBase, 'type'>>

/**
 * One kind of output item: its facts, what it emits when, and its wire form. Kinds hold no state; the item does.
 * `output_item.added` and `output_item.done` are the same for every kind, and {@link OutputItems} emits them.
 *
 * @typeParam I - the item under construction
 * @typeParam S - what it is made of: the recipient of the model's message, or what the host gave
 */
export interface ItemKind<I extends ItemBase, S = Extract<Recipient, { kind: I['type'] }>> {
  readonly prefix: IdPrefix
  /** `terminator`: announced only when its text is complete. Default: announced when its header is. */
  readonly opens?: 'terminator'
  /** What a result from the host does: it completes the item, or becomes an item of its own. Default: none comes. */
  readonly result?: 'completes' | 'own item'
  /** Whether a client may run it as soon as it is done: such a call must not look complete if it was cut off. */
  readonly isRunByClient?: true
  /** Whether the API gives it no `status`. */
  readonly hasNoStatus?: true
  /** Whether the API has a `.failed` event for it. Without one, only the item's status says `failed`. */
  readonly hasFailedEvent?: true
  /** Whether its tokens are counted as reasoning, and are hidden where reasoning is. */
  readonly isReasoning?: true
  /** Whether its deltas carry the probabilities of their tokens. */
  readonly isScored?: true

  /** Whether the host runs this call. Default: the host runs all calls of a kind that has a `result`. */
  isHosted?(subject: S): boolean
  /** The fields of its own. */
  create(subject: S, context: ItemContext): Own<I>
  /** After `output_item.added`. */
  open?(item: I, context: ItemContext): void
  /**
   * More of its text, never empty. Without this method the text is only stored.
   *
   * @param tokens - the text's tokens, if their probabilities are asked for
   */
  delta?(item: I, text: string, context: ItemContext, tokens: readonly ScoredText[]): void
  /** Of kinds that open at the terminator: the text is complete, and the item is about to be announced. */
  ready?(item: I, context: ItemContext): void
  /** Whether text is held back. */
  isHolding?(item: I): boolean
  /** Nothing more will come: emits what was held back. */
  release?(item: I, context: ItemContext): void
  /** Its text has ended. */
  close?(item: I, outcome: 'completed' | 'incomplete', context: ItemContext): void
  /** The result of a call that nobody may run, and so needs no host. */
  refusal?(item: I): CallResult | undefined
  /** Its result came, or null if none will come. Only for kinds whose result `completes` them. */
  resolve?(item: I, result: CallResult | null, context: ItemContext): void
  /** What the item of the result is made of. Only for kinds whose result is an `own item`. */
  answer?(item: I, result: CallResult): { readonly kind: string }
  /** What it calls, for people: a tool's name after its server or namespace. Default: the item's type. */
  calls?(item: I): string
  /** A detached copy of its wire form as of now, without `type`, `id` and `status`. */
  wire(item: I): Omit<Extract<OutputItem, { type: I['type'] }>, 'type' | 'id' | 'status'>
}
