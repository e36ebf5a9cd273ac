import { type HarmonyHeader, type Origin, type Repair, type RepairCode, repair, type Terminator } from './events.js'
import type { HarmonyHandler } from './handler.js'
import { addressesTool } from './resolve-header.js'

/*
 * Text without a channel is the answer only if the turn ends with it. If more of the turn follows, the model was thinking:
 *
 *     We must refuse.<|end|><|start|>assistant<|channel|>final<|message|>Sorry.<|return|>      reasoning, answer
 *     Sorry.<|return|>                                                                         answer
 */

/**
 * The longest text without a channel, in tokens, that is held until it proves to be reasoning or the answer. Longer text
 * is shown as reasoning, and once more as the answer if it proves to be that.
 */
export const MAX_UNDECIDED_TOKENS = 1024

/** In text input, which has no ids, so many UTF-16 units count as one token. */
const UNITS_PER_TOKEN = 4

/** Returns how many tokens text input counts as. */
export function tokensOf(text: string): number {
  return text.length / UNITS_PER_TOKEN
}

/**
 * What is undecided: an `open` message, or an `ended` one, whose text is held; or one that was `shown` as reasoning because
 * it is too long to hold.
 */
export type Undecided = 'open' | 'ended' | 'shown'

/** A message without a channel. Plain data. */
interface UndecidedMessage {
  readonly header: HarmonyHeader
  text: string
  /** How many tokens it has so far. */
  tokens: number
  isShown: boolean
  /** How it ended; absent while it is open. */
  terminator?: Terminator
  /** How many tokens the model has sampled since then. */
  ahead: number
}

/** Plain JSON. */
export interface UndecidedState {
  readonly message: UndecidedMessage | null
  readonly hasAnswer: boolean
}

/**
 * Holds the assistant's messages without a channel back from a handler until they prove to be reasoning or the answer.
 * Everything else passes through.
 */
export class UndecidedText implements HarmonyHandler {
  readonly #handler: HarmonyHandler
  /** Whether text without a channel is never the answer. */
  readonly #needsChannel: boolean
  #message: UndecidedMessage | null
  #hasAnswer: boolean

  constructor(handler: HarmonyHandler, needsChannel = false, state?: UndecidedState) {
    this.#handler = handler
    this.#needsChannel = needsChannel
    this.#message = state?.message ?? null
    this.#hasAnswer = state?.hasAnswer ?? false
  }

  /** Whether there is an answer: on the final channel, or text that has proved to be one. */
  get hasAnswer(): boolean {
    return this.#hasAnswer
  }

  get undecided(): Undecided | undefined {
    const message = this.#message
    if (message === null) return undefined
    return message.isShown ? 'shown' : message.terminator === undefined ? 'open' : 'ended'
  }

  /** Returns the state. Not a copy. */
  state(): UndecidedState {
    return { message: this.#message, hasAnswer: this.#hasAnswer }
  }

  /** Counts tokens that the model has sampled. */
  count(tokens: number): void {
    const message = this.#message
    if (message === null) return
    if (message.terminator === undefined) message.tokens += tokens
    else message.ahead += tokens
  }

  messageStart(header: HarmonyHeader, origin: Origin): void {
    // Only another message of the assistant's proves that its turn went on: models invent messages of users, too.
    this.endTurn(header.role === 'assistant')
    const isUndecided = header.role === 'assistant' && header.channel === undefined && !addressesTool(header)
    if (isUndecided && !this.#needsChannel) {
      this.#message = { header, text: '', tokens: 0, isShown: false, ahead: 0 }
      return
    }
    if (isUndecided) header.channel = 'analysis'
    if (header.channel === 'final' && header.role === 'assistant' && !addressesTool(header)) this.#hasAnswer = true
    this.#handler.messageStart(header, origin)
  }

  messageText(text: string, origin: Origin, isLead: boolean): void {
    const message = this.#message
    if (message === null) {
      this.#handler.messageText(text, origin, isLead)
      return
    }
    message.text += text
    if (message.isShown) this.#handler.messageText(text, origin, isLead)
    else if (message.tokens > MAX_UNDECIDED_TOKENS) this.#show('undecided_text')
  }

  messageEnd(terminator: Terminator, origin: Origin, isCut: boolean, ahead: number): void {
    const message = this.#message
    if (message === null) {
      this.#handler.messageEnd(terminator, origin, isCut, ahead)
      return
    }
    if (message.isShown) this.#handler.messageEnd(terminator, origin, isCut, ahead)
    message.terminator = terminator
    message.ahead = ahead
    const mayGoOn = terminator === 'end' || terminator === 'implicit'
    if (!mayGoOn || origin === 'host') this.endTurn(isCut, isCut)
  }

  repair(what: Repair): void {
    this.#handler.repair(what)
  }

  /**
   * Decides on a message that has ended.
   *
   * @param isThought - whether the turn went on after it, or was cut off
   * @param isCut - whether the message itself was cut off
   */
  endTurn(isThought: boolean, isCut = false): void {
    const message = this.#message
    if (message?.terminator === undefined) return
    const { header, text, terminator, isShown, ahead } = message
    this.#message = null
    if (isThought && isShown) return
    if (isShown) this.#handler.repair({ code: 'repeated_answer', subject: String(text.length) })
    if (isThought) this.#handler.repair(repair('assumed_reasoning'))
    this.#hasAnswer ||= !isThought
    this.#handler.messageStart(isThought ? thoughtOf(header) : header, 'model')
    if (text !== '') this.#handler.messageText(text, 'model', !isShown)
    this.#handler.messageEnd(terminator, 'model', isCut, ahead)
  }

  /** Shows held text, since nothing more will follow: as reasoning, which stays open if the message is. */
  settle(): void {
    this.endTurn(true)
    if (this.undecided === 'open') this.#show('assumed_reasoning')
    this.#message = null
  }

  #show(code: RepairCode): void {
    const message = this.#message as UndecidedMessage
    message.isShown = true
    this.#handler.repair(repair(code))
    this.#handler.messageStart(thoughtOf(message.header), 'model')
    if (message.text !== '') this.#handler.messageText(message.text, 'model', true)
  }
}

function thoughtOf(header: HarmonyHeader): HarmonyHeader {
  return { ...header, channel: 'analysis' }
}
