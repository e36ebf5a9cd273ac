import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import type { EndReason } from '../../../core/tokens/token-source.js'
import { CallList } from './call-list.js'
import type { ChatChunk } from './chat-chunk.js'
import { FreeText } from './free-text.js'
import type { Opening } from './read-prompt.js'
import { tooMuch } from './too-much.js'
import type { Callee, ToolNames } from './tool-names.js'

export interface TurnWriterOptions {
  /** Encodes ordinary text: nothing that it spells becomes a special token. */
  readonly encode: (text: string) => readonly number[]
  readonly names: ToolNames
  /** Where the prompt ends. */
  readonly opening: Opening
  /** The characters of content that are held, since a call after it makes it a preamble: then it is the answer. */
  readonly holds: number
  /** Whether a turn may have several calls. */
  readonly isParallel: boolean
}

/** How much content is held where tools are declared. */
export const HELD_CHARACTERS = 400
/** How much is held where the answer has to be JSON, too: a preamble would precede it. */
export const HELD_JSON: number = 256 * 1024
/** The characters of text after a call that are held until all calls have ended. */
export const MAX_AFTER_CALLS: number = 64 * 1024

type Place = 'header' | 'between' | 'analysis' | 'content' | 'call'

/**
 * Writes what a chat server sends as the Harmony of a turn: reasoning on the channel of analysis, content as a preamble or
 * as the answer, each call as a message to its tool.
 */
export class TurnWriter {
  readonly #options: TurnWriterOptions
  readonly #calls: CallList
  #place: Place
  /** Whether the prompt has begun the answer: everything is a part of it. */
  readonly #isAnswer: boolean
  #ids: number[] = []
  /** Content that may be a preamble. */
  #held = ''
  #isHolding: boolean
  /** The first half of a character. */
  #half = ''
  #input: FreeText | undefined
  #hasWritten = false
  /** What was said after a call, by channel: it would end a call of which more may come. */
  readonly #after = { analysis: '', commentary: '' }

  constructor(options: TurnWriterOptions) {
    const { opening, holds, isParallel } = options
    this.#options = options
    this.#isAnswer = opening === 'answer'
    this.#place = PLACES[opening]
    this.#isHolding = holds > 0 && !this.#isAnswer
    this.#calls = new CallList({ begin: (name) => this.#beginCall(name), args: (text) => this.#args(text) }, isParallel)
  }

  /** Whether the server has said anything. */
  get hasWritten(): boolean {
    return this.#hasWritten
  }

  /** Whether all that the server has said is reasoning. */
  get hasOnlyReasoned(): boolean {
    return this.#place === 'analysis' && this.#held === ''
  }

  /** @returns the ids that follow. @throws EngineError */
  push({ reasoning, content, calls }: Pick<ChatChunk, 'reasoning' | 'content' | 'calls'>): number[] {
    if (reasoning !== '') this.#reason(reasoning)
    if (content !== '') this.#content(content)
    for (const call of calls) {
      this.#hasWritten = true
      this.#endContent('commentary')
      this.#calls.push(call)
    }
    return this.#taken()
  }

  /** Ends the turn. @returns the last ids. @throws EngineError */
  end(reason: EndReason): number[] {
    const isCut = reason !== 'stop'
    if (!this.#calls.isEmpty) this.#calls.end(isCut)
    this.#endInput()
    this.#endContent('final')
    for (const channel of ['analysis', 'commentary'] as const) {
      const text = this.#after[channel]
      if (text.trim() === '') continue
      this.#header(channel === 'analysis' ? 'analysis' : 'content', channel)
      this.#text(text)
    }
    this.#endCharacter()
    if (!isCut) this.#ids.push(this.#place === 'call' ? SPECIAL.call : SPECIAL.return)
    return this.#taken()
  }

  #reason(text: string): void {
    // The host has begun the answer, which the ids of another message would end.
    this.#hasWritten = true
    if (this.#isAnswer) return
    if (!this.#calls.isEmpty) {
      this.#afterCalls('analysis', text)
      return
    }
    if (this.#place !== 'analysis') {
      this.#endContent('commentary')
      this.#header('analysis', 'analysis')
    }
    this.#text(text)
  }

  #content(text: string): void {
    this.#hasWritten = true
    if (!this.#calls.isEmpty) {
      this.#afterCalls('commentary', text)
      return
    }
    if (this.#isHolding) {
      this.#held += text
      if (this.#held.length > this.#options.holds) this.#endContent('final')
      return
    }
    if (this.#place !== 'content') this.#header('content', 'final')
    this.#text(text)
  }

  #afterCalls(channel: 'analysis' | 'commentary', text: string): void {
    this.#after[channel] += text
    if (this.#after[channel].length > MAX_AFTER_CALLS) throw tooMuch(MAX_AFTER_CALLS, 'characters after a call')
  }

  /** Writes held content as what it turned out to be. White space before a call is dropped. */
  #endContent(channel: 'commentary' | 'final'): void {
    const text = this.#held
    this.#held = ''
    if (text === '' || (channel === 'commentary' && text.trim() === '')) return
    this.#isHolding = channel === 'commentary'
    this.#header('content', channel)
    this.#text(text)
  }

  #beginCall(name: string): void {
    const { recipient, body } = this.#options.names.calleeOf(name)
    this.#endInput()
    this.#header('call', 'commentary', ` to=${recipient}`, body)
    this.#input = body === 'json' ? undefined : new FreeText(body)
  }

  #args(text: string): void {
    this.#text(this.#input === undefined ? text : this.#input.push(text))
  }

  #endInput(): void {
    const rest = this.#input?.end() ?? ''
    this.#input = undefined
    if (rest !== '') this.#text(rest)
  }

  #header(place: Place, channel: string, address = '', body: Callee['body'] = 'text'): void {
    this.#endCharacter()
    if (this.#place !== 'header') {
      if (this.#place !== 'between') this.#ids.push(SPECIAL.end)
      this.#ids.push(SPECIAL.start)
      this.#encode('assistant')
    }
    this.#ids.push(SPECIAL.channel)
    this.#encode(channel + address)
    this.#place = place
    if (body === 'json') {
      this.#encode(' ')
      this.#ids.push(SPECIAL.constrain)
      this.#encode('json')
    } else if (body === 'code') this.#encode(' code')
    this.#ids.push(SPECIAL.message)
  }

  #text(text: string): void {
    const all = this.#half + text
    const isHalf = isFirstHalf(all.charCodeAt(all.length - 1))
    this.#half = isHalf ? all.slice(-1) : ''
    this.#encode(isHalf ? all.slice(0, -1) : all)
  }

  #encode(text: string): void {
    for (const id of this.#options.encode(text)) this.#ids.push(id)
  }

  #endCharacter(): void {
    const half = this.#half
    this.#half = ''
    if (half !== '') this.#encode(half)
  }

  #taken(): number[] {
    const ids = this.#ids
    this.#ids = []
    return ids
  }
}

const PLACES = { turn: 'header', between: 'between', reasoning: 'analysis', answer: 'content' } as const

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}
