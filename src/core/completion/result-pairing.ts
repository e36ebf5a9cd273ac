import type { ItemContext } from '../items/item-context.js'
import { type Item, isHosted } from '../items/kinds.js'
import { type Recipient, recipientKey } from '../recipients/recipient.js'
import { calleesNamed, type Recipients } from '../recipients/tool-author.js'
import { type TextBuffer, textOf } from '../text/text-buffer.js'
import { ANY_CALLEE, Calls } from './calls.js'
import type { OutputItems } from './output-items.js'

/** Which calls wait for which results. Results come by the id of a call, or as tool messages that name only the tool. */
export class ResultPairing {
  readonly #output: OutputItems
  readonly #context: ItemContext
  readonly #recipients: Recipients
  #calls: Calls | undefined
  #isPaused = false

  constructor(output: OutputItems, context: ItemContext, recipients: Recipients) {
    this.#output = output
    this.#context = context
    this.#recipients = recipients
  }

  /** Returns the item with this id, whether or not it is a hosted call. */
  find(id: string): Item | undefined {
    return this.#indexed().find(id)
  }

  /** Runs a step whose tool messages are ignored, because their calls already have these results. */
  whilePaused(step: () => void): void {
    this.#isPaused = true
    try {
      step()
    } finally {
      this.#isPaused = false
    }
  }

  /** Whether a call waits for a result of this tool. */
  isAwaited(author: string): boolean {
    return this.#oldest(author, 'oldestWaiting') !== undefined
  }

  /** Completes the tool's oldest waiting call. */
  takeMessage(author: string, text: TextBuffer): void {
    if (this.#isPaused) return
    const waiting = this.#oldest(author, 'oldestWaiting')
    if (waiting !== undefined) {
      this.#output.resolve(waiting, { output: textOf(text) })
      return
    }
    const answered = this.#oldest(author, 'oldestAnswered')
    if (answered !== undefined) this.#context.notice('second_result', answered.id)
    // Results of the client's tools are in the transcript too, and are not reported.
    else if (
      author === UNNAMED_TOOL ||
      [...calleesNamed(author, this.#recipients)].flat().some((callee) => this.#isRunByHost(callee))
    ) {
      this.#context.notice('result_without_call', author)
    }
  }

  /**
   * Ends the waiting calls, oldest first, because no more results will come.
   *
   * @param isExpected - whether the host should have provided their results
   */
  giveUp(isExpected = true): void {
    for (const item of this.#output.items) {
      if (item.stage !== 'waiting') continue
      if (isExpected) this.#context.notice('missing_result', item.id)
      this.#output.resolve(item, null)
    }
  }

  #oldest(author: string, which: 'oldestWaiting' | 'oldestAnswered'): Item | undefined {
    const calls = this.#indexed()
    if (author === UNNAMED_TOOL) return calls[which]([ANY_CALLEE])
    for (const callees of calleesNamed(author, this.#recipients)) {
      const call = calls[which](callees.map(recipientKey))
      if (call !== undefined) return call
    }
    return undefined
  }

  #indexed(): Calls {
    this.#calls ??= new Calls()
    return this.#calls.index(this.#output.items)
  }

  /** Whether the host runs the callee, immediately or after an approval. */
  #isRunByHost(callee: Recipient): boolean {
    return callee.kind === 'mcp_approval_request' || isHosted(callee)
  }
}

/** The author of a tool message that does not name its tool. */
const UNNAMED_TOOL = 'tool'
