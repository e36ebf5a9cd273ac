import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import { toolNamed } from '../../../core/recipients/declared-tools.js'
import { recipientKey } from '../../../core/recipients/recipient.js'
import type { RequestTools } from '../../../core/recipients/request-tools.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { type Constraint, type ConstraintKind, constraintKind } from '../../../engines/contract/constraint.js'
import type { MatcherState } from '../../../engines/grammar/index.js'
import { atOnce, type Slices } from '../../../shared/slices.js'
import type { OpenEntry } from '../../journal/entry.js'
import { type OpenMessage, openMessage } from '../open-message.js'
import { constraintAfter, type RestConstraint, stateAfter } from './constraint-after.js'
import { typeAlone } from './enforced-parts.js'
import { type HalfCharacter, halfCharacter } from './half-character.js'
import { partOfHeader, type StrictPart, strictParts } from './strict-parts.js'

/** The open body, if the engine is constrained in it. */
export interface OpenBody {
  /** The parameter of the request that constrains it. */
  readonly param: string
  /** The constraint of its rest; undefined if none expresses that, or the engine enforces none. */
  readonly constraint: Constraint | undefined
  /** Whether it may end without another character. */
  readonly canEnd: boolean
  /** An incomplete character, which has to be completed first; undefined if there is none, or nothing constrains it. */
  readonly character: HalfCharacter | undefined
  /** The id that ends such a message. */
  readonly terminator: number
}

/** What an engine enforces. */
export interface Enforced {
  readonly kinds: readonly ConstraintKind[]
  /** The parameters whose constraints it enforces, as far as it can. */
  readonly params: readonly string[]
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
  /** Default: what the engine of the open entry enforces. */
  #enforced: Enforced | undefined
  /** What {@link prepare} found for a body. */
  #prepared: { readonly body: Body; readonly state: BodyState } | undefined

  constructor(open: OpenEntry, tools: RequestTools, tokenTable: TokenTable) {
    this.#open = open
    this.#tokenTable = tokenTable
    this.#tools = tools
    this.parts = open.isCompaction ? [] : strictParts(open.request, tools.choice)
    this.isPaused = (open.constrained ?? []).length > 0
  }

  /** Sets what the engine now in use enforces: a process that takes a response over may have another one. */
  useEngine(enforced: Enforced): void {
    this.#enforced = enforced
    this.#prepared = undefined
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

  /**
   * Returns the body that is open at the end of a turn, if the engine is constrained in it.
   *
   * @param turn - the tokens after the turn's `<|start|>assistant`
   */
  openBody(turn: readonly number[]): OpenBody | undefined {
    const body = this.#bodyOf(turn)
    if (body === undefined) return undefined
    const { part, carried } = body
    const isCut = carried.length > 0
    const tokenTable = this.#tokenTable
    // Found on demand: it takes a matcher of the whole text, and a body that ends needs its terminator alone.
    let state = this.#prepared !== undefined && isSame(this.#prepared.body, body) ? this.#prepared.state : undefined
    const found = (): BodyState => {
      state ??= atOnce(this.#stateOf(body))
      return state
    }
    return {
      param: part.param,
      get constraint() {
        return found().constraint
      },
      get canEnd() {
        return found().canEnd ?? true
      },
      get character() {
        const { before } = isCut ? found() : {}
        return before && halfCharacter(carried, before, tokenTable)
      },
      terminator: part.body === ANSWER ? SPECIAL.return : SPECIAL.call,
    }
  }

  /** Reads the text of an open body in slices, for the {@link openBody} that follows: all at once, it would take long. */
  *prepare(turn: readonly number[]): Slices<void> {
    const body = this.#bodyOf(turn)
    this.#prepared = body && body.text !== '' ? { body, state: yield* this.#stateOf(body) } : undefined
  }

  *#stateOf({ part, constraint, text, carried }: Body): Slices<BodyState> {
    const { kinds, params } = this.#enforced ?? {
      kinds: this.#open.capabilities?.constraints ?? [],
      params: this.#open.constrained ?? [],
    }
    if (carried.length > 0) return { before: yield* stateAfter(constraint, text, kinds) }
    // A rest goes by our grammar, whether or not the engine enforces the whole.
    const isEnforced = text !== '' || (kinds.includes(constraintKind(constraint)) && params.includes(part.param))
    return (isEnforced && (yield* constraintAfter(constraint, text, kinds))) || {}
  }

  #bodyOf(turn: readonly number[]): Body | undefined {
    if (!this.isPaused) return undefined
    const { constrained = [], typeOnly = [] } = this.#open
    const { declared, classify } = this.#tools
    const message = openMessage(turn, {
      tokenTable: this.#tokenTable,
      toolNamed: (word) => toolNamed(word, declared),
    })
    const part = message && partOfHeader(message.header, this.parts, classify)
    if (message === undefined || part === undefined || !constrained.includes(part.param)) return undefined
    const { constraint } = typeOnly.includes(part.param) ? typeAlone(part) : part
    return { part, constraint, text: message.text, carried: message.carried }
  }
}

/** A body's text, and the bytes of an incomplete character after it. */
interface Body extends Pick<OpenMessage, 'text' | 'carried'> {
  readonly part: StrictPart
  readonly constraint: Constraint
}

/** The constraint of a body's rest, or the state before its incomplete character. */
interface BodyState extends Partial<RestConstraint> {
  readonly before?: MatcherState | undefined
}

function isSame(one: Body, other: Body): boolean {
  return one.part === other.part && one.text === other.text && one.carried.length === other.carried.length
}

const ANSWER = recipientKey({ kind: 'message' })
