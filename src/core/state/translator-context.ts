import { callSafely } from '../../shared/call-safely.js'
import type { Diagnostic, NoticeCode } from '../diagnostics/diagnostic.js'
import type { Repair } from '../harmony/events.js'
import type { ItemContext } from '../items/item-context.js'
import type { ItemState } from '../items/item-state.js'
import { deriveId, type IdPrefix } from '../options/ids.js'
import type { TranslatorOptions } from '../options/options.js'
import { type ReasoningForm, reasoningForms } from '../options/reasoning-forms.js'
import { stringResult } from '../options/string-result.js'
import type { ItemEvent, ResponseStreamEvent } from '../responses/events.js'
import type { TranslatorState } from './translator-state.js'

/** The state and options that a translator's parts share, and the ways to emit events and report diagnostics. */
export class TranslatorContext implements ItemContext {
  readonly state: TranslatorState
  readonly options: TranslatorOptions
  readonly #onEvent: ((event: ResponseStreamEvent) => void) | undefined

  constructor(
    state: TranslatorState,
    options: TranslatorOptions,
    onEvent: ((event: ResponseStreamEvent) => void) | undefined,
  ) {
    this.state = state
    this.options = options
    this.#onEvent = onEvent
  }

  id(prefix: IdPrefix): string {
    const { ids = deriveId } = this.options
    return stringResult('ids', ids(prefix, this.state.ordinal++, this.state.responseId))
  }

  nextSequenceNumber(): number {
    return this.state.sequenceNumber++
  }

  emit(event: ResponseStreamEvent): void {
    const { queued } = this.state
    // A push onto an empty list makes room for seventeen, and most pushes give one event.
    if (queued.length === 0) this.state.queued = [event]
    else queued.push(event)
    this.#onEvent?.(event)
  }

  emitFor(item: ItemState, event: ItemEvent): void {
    const { type } = event
    const fields: object = event
    const { id: item_id, outputIndex: output_index } = item
    const sequence_number = this.nextSequenceNumber()
    // With two spreads V8 builds the object field by field, which takes thirty times as long.
    const addressed = type.startsWith(OF_COMMAND)
      ? { type, sequence_number, output_index, ...fields }
      : { type, sequence_number, item_id, output_index, ...fields }
    this.emit(addressed as ResponseStreamEvent)
  }

  reasoningForms(): readonly ReasoningForm[] {
    return reasoningForms(this.options.reasoning, this.state.request)
  }

  includes(what: string): boolean {
    return this.state.request.include?.includes(what) ?? false
  }

  notice(code: NoticeCode, subject: string, text = ''): void {
    this.diagnose({ code, subject, index: this.state.index, ...(text !== '' && { text }) })
  }

  repair(repair: Repair): void {
    this.diagnose({ ...repair, index: this.state.index })
  }

  /** Reports a diagnostic. A callback that throws must not change the stream. */
  diagnose(diagnostic: Diagnostic): void {
    callSafely(this.options.onDiagnostic, diagnostic, this.options.onError)
  }
}

/** Neither the API's types nor the wire have an `item_id` in the events about a shell call's command. */
const OF_COMMAND = 'response.shell_call_command.'
