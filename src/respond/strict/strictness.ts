import type { Constraint } from '../../engine/constraint.js'
import { SPECIAL } from '../../harmony/vocabulary.js'
import type { OpenEntry } from '../../journal/entry.js'
import { toolNamed } from '../../recipients/declared-tools.js'
import { recipientKey } from '../../recipients/recipient.js'
import type { RequestTools } from '../../recipients/request-tools.js'
import type { TokenTable } from '../../tokens/token-table.js'
import { type OpenMessage, openMessage } from '../open-message.js'
import { constraintAfter, stateAfter } from './constraint-after.js'
import { type HalfCharacter, halfCharacter } from './half-character.js'
import { typeAlone } from './held-parts.js'
import { partOfHeader, type StrictPart, strictParts } from './strict-parts.js'

/** The open body, if the engine is constrained in it. */
export interface OpenBody {
  /** The constraint of its rest; undefined if none expresses that. */
  readonly constraint: Constraint | undefined
  /** An incomplete character, which has to be completed first; undefined if there is none, or nothing constrains it. */
  readonly character: HalfCharacter | undefined
  /** The id that ends such a message. */
  readonly terminator: number
}

/** The constraints of a response, from its open entry. */
export class Strictness {
  /** All parts of the request that constrain a body. */
  readonly parts: readonly StrictPart[]
  /** Whether the model pauses before a body. */
  readonly isPaused: boolean
  readonly #open: OpenEntry
  readonly #tokenTable: TokenTable
  readonly #tools: RequestTools

  constructor(open: OpenEntry, tools: RequestTools, tokenTable: TokenTable) {
    this.#open = open
    this.#tokenTable = tokenTable
    this.#tools = tools
    this.parts = open.isCompaction ? [] : strictParts(open.request, tools.choice)
    this.isPaused = (open.constrained ?? []).length > 0
  }

  /** Whether a call is open at the end of a turn. */
  isCallOpen(turn: readonly number[]): boolean {
    const { declared, classify } = this.#tools
    const message = openMessage(turn, {
      tokenTable: this.#tokenTable,
      toolNamed: (word) => toolNamed(word, declared),
    })
    if (message?.header.role !== 'assistant') return false
    const { kind } = classify(message.header.recipient, message.header.channel)
    return kind !== 'reasoning' && kind !== 'message'
  }

  /** @param turn - the tokens after the turn's `<|start|>assistant` */
  openBody(turn: readonly number[]): OpenBody | undefined {
    if (!this.isPaused) return undefined
    const { constrained = [], typeOnly = [], capabilities } = this.#open
    const { declared, classify } = this.#tools
    const message = openMessage(turn, {
      tokenTable: this.#tokenTable,
      toolNamed: (word) => toolNamed(word, declared),
    })
    const part = message && partOfHeader(message.header, this.parts, classify)
    if (part === undefined || !constrained.includes(part.param)) return undefined
    const { text, carried } = message as OpenMessage
    const { constraint } = typeOnly.includes(part.param) ? typeAlone(part) : part
    const isCut = carried.length > 0
    const tokenTable = this.#tokenTable
    // Made on demand: they take a matcher of the whole text, and a body that ends needs its terminator alone.
    return {
      get constraint() {
        return isCut ? undefined : constraintAfter(constraint, text, capabilities?.constraints ?? [])
      },
      get character() {
        const before = isCut ? stateAfter(constraint, text, capabilities?.constraints ?? []) : undefined
        return before && halfCharacter(carried, before, tokenTable)
      },
      terminator: part.body === ANSWER ? SPECIAL.return : SPECIAL.call,
    }
  }
}

const ANSWER = recipientKey({ kind: 'message' })
