import type { CitablePages } from '../citations/pages.js'
import type { NoticeCode } from '../diagnostics/diagnostic.js'
import type { IdPrefix } from '../options/ids.js'
import type { TranslatorOptions } from '../options/options.js'
import type { ReasoningForm } from '../options/reasoning-forms.js'
import type { ItemEvent, ResponseStreamEvent } from '../responses/events.js'
import type { ResponseRequest } from '../responses/request.js'
import type { ItemState } from './item-state.js'

/** The state that the items of hosted tools share. Plain JSON. */
export interface HostedState {
  readonly request: ResponseRequest
  /** The pages of the model's browser; null until it shows one. */
  pages: CitablePages | null
  /** The derived id of the container; null until a call needs it. */
  containerId: string | null
}

/** The part of the translator that item kinds may use. */
export interface ItemContext {
  /** The host's options that affect items. */
  readonly options: Pick<
    TranslatorOptions,
    'sealReasoning' | 'sealApproval' | 'citations' | 'containerId' | 'knownContainerId' | 'knownFiles' | 'knownPages'
  >
  /** The part of the translator's state that hosted tools share. */
  readonly state: HostedState
  /** Creates the next id. */
  id(prefix: IdPrefix): string
  /** Takes the next sequence number. Call it right before emitting the event. */
  nextSequenceNumber(): number
  /** Emits a complete event. Used for deltas, which are frequent: {@link emitFor} is slower. */
  emit(event: ResponseStreamEvent): void
  /** Emits an event of an item, with the item's id and index and the next sequence number. */
  emitFor(item: ItemState, event: ItemEvent): void
  /** Returns the forms in which reasoning is sent: the host's choice, else the request's. */
  reasoningForms(): readonly ReasoningForm[]
  /** Whether the request's `include` contains this value. */
  includes(what: string): boolean
  /** Reports a diagnostic. `text` is model text that ended up in no item because of it. */
  notice(code: NoticeCode, subject: string, text?: string): void
}
