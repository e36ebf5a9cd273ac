import type { HarmonyEvent, Origin } from '../harmony/events.js'
import type { HarmonyParser } from '../harmony/parser.js'
import { FIRST_SPECIAL } from '../harmony/vocabulary.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { Trace } from './diagnostics.js'
import { spellToken } from './logprobs.js'

/** Tells which tokens every event came from. Made only where somebody listens. */
export class Tracer {
  readonly #tell: (trace: Trace) => void
  readonly #table: TokenTable | undefined
  /** The token that came last. */
  #index: number
  /** The first token of the delta that is being gathered, or -1. */
  #deltaFrom: number
  /** The token in which a character began that is not whole yet. */
  #carryFrom: number
  /** The first token of the header that a message's text may have begun in. */
  #leadFrom = -1

  constructor(tell: (trace: Trace) => void, table: TokenTable | undefined, index: number, deltaFrom: number) {
    this.#tell = tell
    this.#table = table
    this.#index = index
    this.#deltaFrom = deltaFrom
    this.#carryFrom = deltaFrom
  }

  /** Where the delta began that is not whole yet, for snapshots. */
  get deltaFrom(): number {
    return this.#deltaFrom
  }

  /** A token is pushed; `hasText` tells whether text of the current item is waiting to be sent. */
  token(index: number, token: number, origin: Origin, parser: HarmonyParser, textLength: () => number): void {
    this.#index = index
    const text = spellToken(token, this.#table)
    this.#tell({ type: 'token', index, token, text, origin, position: parser.position })
    if (origin === 'model' && token < FIRST_SPECIAL && this.#deltaFrom < 0) this.#deltaFrom = index
    const wasMidCharacter = parser.isMidCharacter
    const before = textLength()
    parser.push(token, origin)
    if (parser.isMidCharacter && (!wasMidCharacter || textLength() > before)) this.#carryFrom = index
  }

  /** A text chunk is pushed. */
  text(index: number, text: string, origin: Origin, parser: HarmonyParser): void {
    this.#index = index
    if (origin === 'model' && this.#deltaFrom < 0) this.#deltaFrom = index
    this.#tell({ type: 'token', index, token: null, text, origin, position: parser.position })
    parser.pushText(text, origin)
  }

  harmony(event: HarmonyEvent): void {
    if (event.type === 'repair') return
    this.#tell({ type: 'harmony', index: this.#index, event })
    if (event.type === 'message_start') {
      // Text of the header that turned out to be the message's comes with the same token; all other text comes later.
      this.#leadFrom = this.#deltaFrom < 0 ? this.#index : this.#deltaFrom
      this.#deltaFrom = -1
    } else if (event.type === 'message_text' && this.#deltaFrom < 0) this.#deltaFrom = this.#leadFrom
  }

  event(event: ResponseStreamEvent): void {
    const isDelta = event.type.endsWith('.delta') && this.#deltaFrom >= 0
    this.#tell({ type: 'event', from: isDelta ? this.#deltaFrom : this.#index, to: this.#index, event })
  }

  /** The text that was gathered is sent. */
  flushed(parser: HarmonyParser): void {
    this.#deltaFrom = parser.isMidCharacter ? this.#carryFrom : -1
  }
}
