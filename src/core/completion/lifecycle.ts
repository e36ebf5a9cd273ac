import { check } from '../../shared/errors.js'
import { plainCopy } from '../../shared/plain-copy.js'
import { messagesOf } from '../response-object/response-messages.js'
import { IN_PROGRESS, isOpen, type ResponseProgress, responseOf } from '../response-object/response-object.js'
import { responseUsage } from '../response-object/usage.js'
import { copyOf } from '../responses/copy-of.js'
import type { Response, ResponseStatus } from '../responses/response.js'
import type { TranslatorContext } from '../state/translator-context.js'
import type { TranslatorState } from '../state/translator-state.js'
import type { Failure } from './failure.js'
import type { OutputItems } from './output-items.js'

/**
 * The life cycle of a response: emits `created`, `queued` if it waits, `in_progress` and one terminal event, and nothing
 * after it.
 */
export class Lifecycle {
  readonly #context: TranslatorContext
  readonly #output: OutputItems
  readonly #state: TranslatorState
  readonly #inputMessages: unknown[]

  /** @throws HarmonyResponsesError `bad_option` if `inputMessages` are not plain data */
  constructor(context: TranslatorContext, output: OutputItems) {
    this.#context = context
    this.#output = output
    this.#state = context.state
    const { inputMessages } = context.options
    // Copying an empty list would take as long as a token.
    this.#inputMessages = inputMessages ? plainCopy('inputMessages', [...inputMessages]) : []
  }

  get isClosed(): boolean {
    return !isOpen(this.#state.progress.status)
  }

  /** The current response, as a detached value. */
  get response(): Response {
    const { store, usageByTurn, responseMessages } = this.#context.options
    const { progress, usage } = this.#state
    const messages = responseMessages === true ? this.#state.messages : null
    const isCounted = progress.status === 'completed' || progress.status === 'incomplete'
    // Like vLLM, only the terminal event carries the messages.
    const isOpen = !this.isClosed
    return responseOf(this.#state, store === true, {
      output: this.#output.wire(),
      usage: isCounted ? responseUsage(usage, usageByTurn === true) : null,
      ...(messages && {
        input_messages: isOpen ? null : copyOf(this.#inputMessages),
        output_messages: isOpen ? null : messagesOf(messages),
      }),
    })
  }

  /** @throws HarmonyResponsesError `translator_closed` after the terminal event */
  expectOpen(method: string): void {
    check(!this.isClosed, method, 'an open response', this.#state.progress.status, 'translator_closed')
  }

  /** Emits `created` and `queued`. @throws HarmonyResponsesError `bad_option` if the response has begun */
  queue(): void {
    const { isStarted, progress } = this.#state
    check(!isStarted && progress.status !== 'queued', 'queue', 'a response that has not begun', progress.status)
    this.#state.progress = { ...progress, status: 'queued' }
    this.#emit('created')
    this.#emit('queued')
  }

  /** Emits `in_progress` on the first call, after `created` unless it was queued. Returns whether this was the first. */
  begin(): boolean {
    if (this.#state.isStarted) return false
    this.#state.isStarted = true
    if (this.#state.progress.status === 'queued') this.#state.progress = IN_PROGRESS
    else this.#emit('created')
    this.#emit('in_progress')
    return true
  }

  /** Emits `error`, which precedes `response.failed` on HTTP streams. */
  emitError({ code, message }: Required<Failure>): void {
    const sequence_number = this.#context.nextSequenceNumber()
    this.#context.emit({ type: 'error', sequence_number, error: { type: code, code, message, param: null } })
  }

  /** Emits the terminal event. */
  close(progress: Partial<ResponseProgress> & Pick<ResponseProgress, 'status'>): void {
    this.#state.progress = { ...this.#state.progress, ...progress }
    this.#emit(progress.status)
  }

  #emit(stage: 'created' | ResponseStatus): void {
    const sequence_number = this.#context.nextSequenceNumber()
    // The SDKs know no event of its own: docs/endings.md says what each client makes of the others.
    const name = stage === 'cancelled' ? 'incomplete' : stage
    this.#context.emit({ type: `response.${name}`, sequence_number, response: this.response })
  }
}
