import type { HarmonyHeader, Origin, Terminator } from './events.js'
import type { HarmonyHandler } from './handler.js'

/** The state of the open message. Plain data. */
export interface MessageState {
  header: HarmonyHeader
  /** Whether its start was reported. The start of a prefilled message is reported only once the model continues it. */
  announced: boolean
  /** Whether the host began it for another author than the assistant. */
  isFromHost?: boolean
}

/**
 * Hides the host's part of the assistant's messages from the handler: the model did not write it. Used by every parser.
 */
export interface PrefillFilter {
  /**
   * Takes a complete header. An assistant's message that the host began is reported only when the model continues it.
   */
  begin(header: HarmonyHeader, origin: Origin): void
  text(text: string, origin: Origin, isFromHeader?: boolean): void
  end(terminator: Terminator, origin: Origin, isCut?: boolean): void
  /** Whether a message is open whose start was reported. */
  readonly isAnnounced: boolean
  /** Whether the open message was begun by the host for another author than the assistant. */
  readonly isFromHost: boolean
  /** Returns the state. Its header is not a copy. */
  state(): MessageState
}

export function createPrefillFilter(handler: HarmonyHandler, state?: MessageState): PrefillFilter {
  return new NativePrefillFilter(handler, state ?? { header: { role: 'assistant' }, announced: false })
}

class NativePrefillFilter implements PrefillFilter {
  readonly #handler: HarmonyHandler
  #header: HarmonyHeader
  #announced: boolean
  #isFromHost: boolean

  constructor(handler: HarmonyHandler, { header, announced, isFromHost = false }: MessageState) {
    this.#handler = handler
    this.#header = header
    this.#announced = announced
    this.#isFromHost = isFromHost
  }

  begin(header: HarmonyHeader, origin: Origin): void {
    this.#header = header
    this.#isFromHost = origin === 'host' && header.role !== 'assistant'
    if (origin === 'model' || this.#isFromHost) this.#announce(origin)
  }

  text(text: string, origin: Origin, isFromHeader = false): void {
    if (origin === 'host' && this.#header.role === 'assistant') return
    // After a prefilled header, the model's first text is the first that the handler sees of the message.
    const isLead = isFromHeader || !this.#announced
    if (!this.#announced) this.#announce(origin)
    this.#handler.messageText(text, origin, isLead)
  }

  end(terminator: Terminator, origin: Origin, isCut = false): void {
    // A prefilled message counts if the model at least ended it, and is dropped if the model never continued it.
    if (!this.#announced && origin === 'model' && terminator !== 'turn') this.#announce(origin)
    // The marker of the model's next message, which ended this one, has been counted already.
    const ahead = terminator === 'implicit' && origin === 'model' ? 1 : 0
    if (this.#announced) this.#handler.messageEnd(terminator, origin, isCut, ahead)
    this.#announced = false
    this.#isFromHost = false
  }

  get isAnnounced(): boolean {
    return this.#announced
  }

  get isFromHost(): boolean {
    return this.#isFromHost
  }

  state(): MessageState {
    return { header: this.#header, announced: this.#announced, isFromHost: this.#isFromHost }
  }

  #announce(origin: Origin): void {
    this.#announced = true
    this.#handler.messageStart({ ...this.#header }, origin)
  }
}
