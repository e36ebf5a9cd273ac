import type { ItemEventFields, ItemScopedEvent, ResponseStreamEvent } from '../../responses/events.js'
import type { NoticeCode } from '../diagnostics.js'
import type { IdPrefix } from '../ids.js'
import type { TranslatorOptions } from '../options.js'
import type { Pages } from '../pages.js'
import type { ReasoningForm } from '../reasoning-forms.js'
import type { ItemBase } from './item-base.js'

/** All that an item's code can do to the outside, and all that it can know of it. */
export interface ItemContext {
  /** The host's options that items depend on. */
  readonly options: Pick<TranslatorOptions, 'sealReasoning' | 'citations'>
  /** The pages that the model's browser has shown. */
  readonly pages: Pages
  /** The next id. */
  id(prefix: IdPrefix): string
  /** The number of the next event. Every event takes one, right before it is emitted. */
  nextSequenceNumber(): number
  /** Emits a complete event. For deltas, which are many: {@link emitFor} costs more. */
  emit(event: ResponseStreamEvent): void
  /** Emits an event about an item, with the next number. */
  emitFor<Type extends ItemScopedEvent['type']>(item: ItemBase, type: Type, fields: ItemEventFields<Type>): void
  /** The id of the container in which the host runs this tool. */
  containerId(tool: 'code_interpreter' | 'shell'): string
  /** The forms in which reasoning is shown: the host's choice, else what the request asks for. */
  reasoningForms(): readonly ReasoningForm[]
  /** Whether the request's `include` asks for this. */
  includes(what: string): boolean
  /** Reports a diagnostic. `text` is what of the model's text is in no item because of it. */
  notice(code: NoticeCode, subject: string, text?: string): void
}
