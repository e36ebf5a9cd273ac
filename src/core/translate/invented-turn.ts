import type { TranslatorContext } from '../state/translator-context.js'
import type { TranslatorState } from '../state/translator-state.js'
import { appendText, createTextBuffer, textOf } from '../text/text-buffer.js'

/**
 * What a model writes behind a call that the client has yet to answer, if its engine does not stop there: it invents the
 * result, and answers by it. From the first invented result on, everything up to the end of its turn is dropped.
 */
export class InventedTurn {
  readonly #context: TranslatorContext
  readonly #state: TranslatorState

  constructor(context: TranslatorContext) {
    this.#context = context
    this.#state = context.state
  }

  /** Whether everything is dropped. */
  get isOpen(): boolean {
    return this.#state.invented != null
  }

  /** Whether the turn has a call that the client answers: a result in it is invented. */
  get isAwaited(): boolean {
    return this.#state.isClientAsked === true
  }

  /** Reports a complete call of the client's. */
  ask(): void {
    this.#state.isClientAsked = true
  }

  /** @param author - the tool whose result the model invents */
  begin(author: string): void {
    this.#state.invented = { author, text: createTextBuffer() }
  }

  drop(text: string): void {
    const { invented } = this.#state
    if (invented != null) appendText(invented.text, text)
  }

  /** Ends the model's turn: what follows is real. */
  end(): void {
    const { invented } = this.#state
    this.#state.isClientAsked = false
    this.#state.invented = null
    if (invented != null) this.#context.notice('invented_result', invented.author, textOf(invented.text))
  }
}
