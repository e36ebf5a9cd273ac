import type { CurrentItem } from '../completion/current-item.js'
import type { ResultPairing } from '../completion/result-pairing.js'
import type { HarmonyHeader, Origin, Repair, Terminator } from '../harmony/events.js'
import type { HarmonyHandler } from '../harmony/handler.js'
import { qualifiedName } from '../recipients/qualified-name.js'
import type { Recipients } from '../recipients/tool-author.js'
import { logStart, logText } from '../response-object/response-messages.js'
import { countMessage } from '../response-object/usage.js'
import type { TranslatorContext } from '../state/translator-context.js'
import type { OtherMessage, TranslatorState } from '../state/translator-state.js'
import { appendText, createTextBuffer, textOf } from '../text/text-buffer.js'
import type { InventedTurn } from './invented-turn.js'

/**
 * Routes Harmony messages: the assistant's become output items, tool messages become results of calls, and messages
 * that the model fabricates under another role are dropped.
 */
export class MessageRouter implements HarmonyHandler {
  readonly #context: TranslatorContext
  readonly #recipients: Recipients
  readonly #current: CurrentItem
  readonly #results: ResultPairing
  readonly #invented: InventedTurn
  readonly #state: TranslatorState

  constructor(
    context: TranslatorContext,
    recipients: Recipients,
    current: CurrentItem,
    results: ResultPairing,
    invented: InventedTurn,
  ) {
    this.#context = context
    this.#invented = invented
    this.#recipients = recipients
    this.#current = current
    this.#results = results
    this.#state = context.state
  }

  messageStart(header: HarmonyHeader, origin: Origin): void {
    const state = this.#state
    if (origin === 'model' && this.#isInvented(header)) {
      if (!this.#invented.isOpen) this.#invented.begin(header.name ?? header.role)
      this.#current.pending.forgetHeader()
      return
    }
    if (header.role !== 'assistant') {
      this.#current.pending.forgetHeader()
      state.other = { header, origin, text: createTextBuffer() }
    } else this.#begin(header)
    if (state.messages !== null) logStart(state.messages, header, origin, this.#isHidden())
  }

  messageText(text: string, _origin: Origin, isLead: boolean): void {
    const { other, messages } = this.#state
    if (this.#current.item !== null) this.#current.write(text, isLead)
    else if (other !== null) appendText(other.text, text)
    else {
      this.#invented.drop(text)
      return
    }
    if (messages !== null) logText(messages, text)
  }

  messageEnd(_terminator: Terminator, _origin: Origin, isCut: boolean, ahead: number): void {
    const { other, usage } = this.#state
    const item = this.#current.item
    const isModels = item !== null || other?.origin === 'model' || this.#invented.isOpen
    const count = isModels ? countMessage(usage, ahead) : 0
    this.#state.other = null
    if (item !== null) {
      if (this.#current.isReasoning) usage.reasoning += count
      if (!isCut && this.#current.isAnsweredByClient) this.#invented.ask()
      this.#current.end(isCut ? 'incomplete' : 'completed')
    } else if (other !== null) this.#endOther(other, count)
  }

  repair(repair: Repair): void {
    this.#context.repair(repair)
  }

  /** Whether a message of the model's is the result of a call that the client has yet to answer, or follows one. */
  #isInvented({ role, name = role }: HarmonyHeader): boolean {
    if (this.#invented.isOpen) return true
    if (role !== 'tool' || !this.#invented.isAwaited || this.#context.options.trustToolMessages === true) return false
    return !this.#results.isAwaited(name)
  }

  #begin({ recipient: name, channel }: HarmonyHeader): void {
    const recipient = this.#recipients.classify(name, channel)
    if (recipient.kind === 'function_call' && !recipient.declared) {
      this.#context.notice('undeclared_recipient', qualifiedName(recipient.name, recipient.namespace))
    }
    if ('written' in recipient && recipient.written !== undefined) {
      this.#context.notice('misspelled_recipient', recipient.written)
    }
    this.#current.begin(recipient)
  }

  /** Whether the response's `messages` omit the text of this one. */
  #isHidden(): boolean {
    const { options } = this.#context
    // Messages under another role may contain the model's reasoning too.
    const isOthers = this.#state.other?.origin === 'model' && options.trustToolMessages !== true
    return options.reasoning === 'hidden' && (isOthers || this.#current.isReasoning)
  }

  #endOther({ header, origin, text }: OtherMessage, count: number): void {
    const context = this.#context
    const results = this.#results
    const { role, name: author = role } = header
    if (origin === 'model') {
      if (role !== 'tool' || context.options.trustToolMessages !== true) {
        const isAwaited = role === 'tool' && results.isAwaited(author)
        context.notice(isAwaited ? 'sampled_result' : 'fabricated_message', author, textOf(text))
        return
      }
      // The message counts as the host's, so its tokens are not output.
      this.#state.usage.output -= count
    }
    if (role === 'tool') results.takeMessage(author, text)
  }
}
