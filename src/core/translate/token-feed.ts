import type { CurrentItem } from '../completion/current-item.js'
import type { OutputItems } from '../completion/output-items.js'
import type { Origin } from '../harmony/events.js'
import type { HarmonyHandler } from '../harmony/handler.js'
import type { HarmonyParser } from '../harmony/parser.js'
import { FIRST_SPECIAL, SPECIAL, specialNames } from '../harmony/vocabulary.js'
import { countText, countToken, isSampled, startMessage } from '../response-object/usage.js'
import type { TranslatorContext } from '../state/translator-context.js'
import type { TranslatorState } from '../state/translator-state.js'
import { LOGPROBS, scoredToken } from '../text/logprobs.js'
import type { HarmonyToken, HostMessage, HostTokens } from '../tokens/token-source.js'
import type { TracedChunk, TracedState, Tracer } from '../trace/tracer.js'
import type { InventedTurn } from './invented-turn.js'

/** Feeds tokens to the parser, and counts and numbers them. */
export class TokenFeed {
  readonly #context: TranslatorContext
  readonly #output: OutputItems
  readonly #current: CurrentItem
  readonly #parser: HarmonyParser
  readonly #handler: HarmonyHandler
  readonly #tracer: Tracer | undefined
  readonly #invented: InventedTurn
  readonly #state: TranslatorState
  /** Whether the request includes log-probabilities. */
  readonly #isScored: boolean

  /** @param handler - receives the parser's calls; host messages bypass the parser and go there directly */
  constructor(
    context: TranslatorContext,
    output: OutputItems,
    current: CurrentItem,
    parser: HarmonyParser,
    handler: HarmonyHandler,
    tracer: Tracer | undefined,
    invented: InventedTurn,
  ) {
    this.#invented = invented
    this.#context = context
    this.#output = output
    this.#current = current
    this.#parser = parser
    this.#handler = handler
    this.#tracer = tracer
    this.#state = context.state
    this.#isScored = context.includes(LOGPROBS)
  }

  /** Feeds a token that the model sampled. */
  push(token: HarmonyToken): void {
    const id = typeof token === 'number' ? token : token.id
    const isText = id < FIRST_SPECIAL
    // Text that the model writes under another role, or after a result that it invented, has no log-probabilities.
    const isScored = this.#isScored && isText && this.#state.other === null && !this.#invented.isOpen
    if (isScored) this.#current.score(scoredToken(token, this.#context.options.tokenTable))
    countToken(this.#state.usage)
    this.#pass(id, 'model', typeof token === 'number' ? undefined : { scored: token })
    if (!isText) this.#countMarker(id)
  }

  pushText(text: string, origin: Origin): void {
    if (text === '') return
    if (origin === 'model') {
      // An engine that sends ids as text begins with the id of <|channel|> or of another special token.
      if (this.#state.index < 0 && /^20[01]\d{3}$/.test(text)) this.#context.notice('spelled_ids', text)
      countText(this.#state.usage)
      // Every marker contains a bar, however the text is cut.
      this.#state.isMarked ||= text.includes('|')
    }
    this.#pass(text, origin)
    // Text has no log-probabilities, so those of the header tokens before it can no longer be placed.
    this.#current.pending.forgetHeader()
  }

  /** Feeds tokens that the host adds to the transcript. */
  pushHost(host: HostTokens['host']): void {
    if ((host as string).length === 0) return
    this.#state.usage.isNextTurn = true
    if (this.#invented.isOpen) this.#parser.end()
    this.#invented.end()
    if (typeof host === 'string') this.pushText(host, 'host')
    else if ('author' in host) this.#pushMessage(host)
    else for (const id of host) this.#pass(id, 'host')
    this.#current.pending.forgetHeader()
  }

  /** Ends a message that the host left open. */
  endHostMessage(): void {
    if (this.#state.other?.origin === 'host') this.#parser.end()
  }

  /** Reports an engine that sampled nothing, or that stripped the special tokens. */
  noticeSilence(): void {
    const { usage, isMarked } = this.#state
    const context = this.#context
    if (isSampled(usage)) {
      if (!isMarked) context.notice('missing_markers', '')
    } else if (this.#output.items.length === 0) context.notice('nothing_sampled', '')
  }

  #countMarker(id: number): void {
    const { pending } = this.#current
    const { undecided } = this.#parser
    this.#state.isMarked = true
    if (undecided === 'open' || id === SPECIAL.startoftext || !specialNames.has(id)) pending.breakHeader()
    else if (undecided === 'ended') pending.keepHeader()
    else pending.forgetHeader()
    // The tokens of an undecided message are counted when it is decided.
    if (id === SPECIAL.start && undecided !== 'ended') startMessage(this.#state.usage)
  }

  #pass(chunk: number | string, origin: Origin, about?: TracedChunk): void {
    this.#state.index++
    const tracer = this.#tracer
    tracer?.before(this.#state.index, chunk, origin, this.#tracedState(), about)
    if (typeof chunk === 'number') this.#parser.push(chunk, origin)
    else this.#parser.pushText(chunk, origin)
    tracer?.after(this.#tracedState())
  }

  /** Feeds a tool's complete message. Its text is not parsed, so nothing in it can act as a marker. */
  #pushMessage({ author, text, channel = 'commentary' }: HostMessage): void {
    const handler = this.#handler
    const origin = 'host'
    this.#state.index++
    this.#tracer?.before(this.#state.index, text, origin, this.#tracedState(), { author })
    // The engine may have swallowed the stop token of the model's message.
    this.#parser.end()
    handler.messageStart({ role: 'tool', name: author, recipient: 'assistant', channel }, origin)
    if (text !== '') handler.messageText(text, origin, false)
    handler.messageEnd('end', origin, false, 0)
    this.#parser.beginTurn()
    this.#tracer?.after(this.#tracedState())
  }

  #tracedState(): TracedState {
    const { position, isHolding } = this.#parser
    return { position, isHolding, pendingLength: this.#current.pending.text?.length ?? 0 }
  }
}
