import type { HarmonyHeader, Origin, Repair, Terminator } from '../harmony/events.js'
import type { HarmonyHandler } from '../harmony/handler.js'
import { classifyRecipient } from '../recipients/classify.js'
import { qualifiedName } from './items/qualified-name.js'
import type { TranslatorOptions } from './options.js'
import type { OutputItems } from './output-items.js'
import { logStart, logText } from './response-messages.js'
import type { Recipients, ResultPairing } from './result-pairing.js'
import { appendText, createTextBuffer, textOf } from './text-buffer.js'
import type { TranslatorContext } from './translator-context.js'
import type { OtherMessage, TranslatorState } from './translator-state.js'
import { countMessage } from './usage.js'

/** What a router needs of the translator that it belongs to. */
interface RouterParts {
  readonly state: TranslatorState
  readonly options: Pick<TranslatorOptions, 'reasoning' | 'trustToolMessages'>
  readonly recipients: Recipients
  readonly context: TranslatorContext
  readonly output: OutputItems
  readonly results: ResultPairing
}

/**
 * Routes Harmony messages: those of the assistant become items of the output, those of tools answer calls, and what the
 * model writes in another's name becomes neither.
 */
export class MessageRouter implements HarmonyHandler {
  readonly #parts: RouterParts
  readonly #state: TranslatorState
  readonly #output: OutputItems

  constructor(parts: RouterParts) {
    this.#parts = parts
    this.#state = parts.state
    this.#output = parts.output
  }

  messageStart(header: HarmonyHeader, origin: Origin): void {
    const state = this.#state
    if (header.role !== 'assistant') {
      this.#output.pending.forgetHeader()
      state.other = { header, origin, text: createTextBuffer() }
    } else this.#begin(header)
    if (state.messages !== null) logStart(state.messages, header, origin, this.#isHidden())
  }

  messageText(text: string, _origin: Origin, isLead: boolean): void {
    const { other, messages } = this.#state
    if (this.#output.current !== null) this.#output.write(text, isLead)
    else if (other !== null) appendText(other.text, text)
    if (messages !== null) logText(messages, text)
  }

  messageEnd(terminator: Terminator, origin: Origin, isCut: boolean): void {
    const { other, usage } = this.#state
    const item = this.#output.current
    const isModels = item !== null || other?.origin === 'model'
    // A marker of the next message, where it ended this one, was counted already.
    const count = isModels ? countMessage(usage, terminator === 'implicit' && origin === 'model' ? 1 : 0) : 0
    this.#state.other = null
    if (item !== null) {
      if (this.#output.isReasoning) usage.reasoning += count
      this.#output.end(item, isCut ? 'incomplete' : 'completed')
    } else if (other !== null) this.#endOther(other, count)
  }

  repair(repair: Repair): void {
    this.#parts.context.repair(repair)
  }

  #begin({ recipient: name, channel }: HarmonyHeader): void {
    const { recipients, context } = this.#parts
    const recipient = classifyRecipient(name, channel, recipients.tools, recipients.policy)
    if (recipient.kind === 'function_call' && !recipient.declared) {
      context.notice('undeclared_recipient', qualifiedName(recipient.name, recipient.namespace))
    }
    this.#output.begin(recipient)
  }

  /** Whether the messages that the request asks for leave out the text of this one. */
  #isHidden(): boolean {
    const { options } = this.#parts
    // In another's name the model writes what it thinks, too.
    const isOthers = this.#state.other?.origin === 'model' && options.trustToolMessages !== true
    return options.reasoning === 'hidden' && (isOthers || this.#output.isReasoning)
  }

  #endOther({ header, origin, text }: OtherMessage, count: number): void {
    const { options, context, results } = this.#parts
    const { role, name: author = role } = header
    if (origin === 'model') {
      if (role !== 'tool' || options.trustToolMessages !== true) {
        const isAwaited = role === 'tool' && results.isAwaited(author)
        context.notice(isAwaited ? 'sampled_result' : 'fabricated_message', author, textOf(text))
        return
      }
      // It was not the model's after all.
      this.#state.usage.output -= count
    }
    if (role === 'tool') results.takeMessage(author, text)
  }
}
