import { STOP_TOKENS } from '../../../core/harmony/stop-tokens.js'
import { FIRST_SPECIAL, SPECIAL } from '../../../core/harmony/vocabulary.js'
import type { HarmonyToken } from '../../../core/tokens/token-source.js'
import type { Constraint } from '../../../engines/contract/constraint.js'
import type { GenerateOptions } from '../../../engines/contract/engine.js'
import { EngineError } from '../../../engines/contract/engine-error.js'
import { toGenerateOptions } from '../../../engines/contract/generate-options.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import { nameConstraint } from '../demand/callees.js'
import { isAnswerBegun } from '../demand/demanded-answer.js'
import type { HalfCharacter } from '../strict/half-character.js'
import { HeaderWatch } from '../strict/header-watch.js'
import type { Budget } from './budget.js'
import { chosenName } from './chosen-name.js'
import { isBeforeForcedCall, takesMessages } from './next-step.js'

/** The next request to the model, and how its answer is read. */
export interface ModelCall {
  readonly options: Pick<GenerateOptions, 'stop' | 'constraint'>
  /** The tokens that it writes. The end-of-sequence tokens after a tool's name are not part of the transcript. */
  readonly writes: 'anything' | 'body' | 'name'
  /** Whether its answers are searched for stop strings. */
  readonly isSearched?: boolean
  /** Returns the tokens that complete the required text, in case the model stops early. */
  readonly missing?: () => readonly number[]
  /** Returns the tokens that the host writes if the model stops in the header of a constrained body. */
  readonly beginning?: () => readonly number[] | undefined
  /**
   * Reads the engine's tokens.
   *
   * @throws EngineError if the engine violated the constraint
   */
  read(tokens: readonly HarmonyToken[]): TakenTokens
}

export interface TakenTokens {
  readonly tokens: readonly HarmonyToken[]
  /** Whether the call has ended: later tokens of the engine are dropped. */
  readonly isOver: boolean
  /** Tokens with which the host begins a constrained body, because the model left its header open. */
  readonly beginning?: readonly number[]
}

const BODY_ENDS: readonly number[] = [...STOP_TOKENS, SPECIAL.end]

/** Returns the next call of the sampling model, derived from the entries alone. */
export function modelCall(fold: ResponseFold, budget: Budget): ModelCall {
  const call = callAt(fold, budget)
  return budget.answer !== undefined && isAnswerBegun(budget.answer, fold) ? endedCall(call) : call
}

/**
 * Returns a call after the host's header. A model that stops at once has written an empty answer, even if its engine
 * swallows the end: the response has its message, and the header is written only once.
 */
function endedCall(call: ModelCall): ModelCall {
  let isEmpty = true
  return {
    ...call,
    read(tokens) {
      isEmpty &&= tokens.length === 0
      return call.read(tokens)
    },
    missing() {
      const missing = call.missing?.() ?? []
      return isEmpty ? [SPECIAL.return] : missing
    },
  }
}

/** Returns the call that continues at the model's place. */
function callAt(fold: ResponseFold, budget: Budget): ModelCall {
  const name = budget.forced && chosenName(fold, budget.forced)
  if (name !== undefined) return chooseName(name.left)
  const { constraint, canEnd = true, character } = budget.strict.openBody(fold.turnTokens) ?? {}
  if (constraint !== undefined) return writeBody(constraint, canEnd)
  if (character !== undefined) return completeCharacter(character, budget.tokens - fold.sampled)
  const pauses = [
    ...(budget.strict.isPaused ? [SPECIAL.message] : []),
    ...(isBeforeForcedCall(fold, budget) ? [SPECIAL.end] : []),
  ]
  const options = pauses.length === 0 ? {} : { stop: [...STOP_TOKENS, ...pauses] }
  const isWatched = budget.strict.isPaused && !isBeforeForcedCall(fold, budget)
  // A turn that has to be a call has no answer.
  const isSearched = budget.forced === undefined || fold.turns > 1
  if (pauses.length === 0) return { options, writes: 'anything', isSearched, read: readAll }
  const watch = isWatched ? new HeaderWatch(fold.turnTokens, budget.strict) : undefined
  return {
    options,
    writes: 'anything',
    isSearched,
    // If the engine swallows the end, the model appears to stop in its header.
    beginning: () => watch?.beginning,
    read(tokens) {
      const taken = cutAfter(tokens, (id) => (pauses as number[]).includes(id))
      for (const [at, token] of taken.tokens.entries()) {
        const beginning = watch?.push(idOf(token))
        if (beginning !== undefined) return { tokens: taken.tokens.slice(0, at), isOver: true, beginning }
      }
      return taken
    },
  }
}

/** Returns the options of a model call, except for its signal. */
export function generationOptions(
  fold: ResponseFold,
  { capabilities }: Budget,
  { options, writes }: ModelCall,
): GenerateOptions {
  const { request } = fold.open
  const { logprobs, ...given } = toGenerateOptions(request)
  const { max_output_tokens: max } = request
  const canScore =
    !takesMessages(capabilities) && (writes === 'anything' || capabilities.hasConstrainedLogprobs === true)
  const isScored = logprobs !== undefined && canScore
  return {
    ...given,
    ...(isScored && { logprobs }),
    // Half a turn of a server that counts in its own tokens is counted in ours, which may be more.
    ...(typeof max === 'number' && { maxTokens: Math.max(1, max - fold.sampled) }),
    ...options,
  }
}

function chooseName(left: readonly string[]): ModelCall {
  return {
    options: { constraint: nameConstraint(left) },
    writes: 'name',
    read(tokens) {
      const end = tokens.findIndex((token) => idOf(token) >= FIRST_SPECIAL)
      return end === -1 ? { tokens, isOver: false } : { tokens: tokens.slice(0, end), isOver: true }
    },
  }
}

/** Writes the rest of one character. A token that does not fit is replaced by the first character that does. */
function completeCharacter(character: HalfCharacter, max: number): ModelCall {
  let left = character
  let taken = 0
  const missing = (): readonly number[] => left.completion.slice(0, max - taken)
  return {
    options: {},
    writes: 'body',
    missing,
    read(tokens) {
      for (const [at, token] of tokens.entries()) {
        const next = left.push(idOf(token))
        if (next === 'complete') return { tokens: tokens.slice(0, at + 1), isOver: true }
        if (next === undefined) return { tokens: [...tokens.slice(0, at), ...missing()], isOver: true }
        left = next
        taken += 1
      }
      return { tokens, isOver: false }
    },
  }
}

function readAll(tokens: readonly HarmonyToken[]): TakenTokens {
  return { tokens, isOver: false }
}

/** Writes a constrained body, or its rest. @param canEnd - whether that may be empty */
function writeBody(constraint: Constraint, canEnd: boolean): ModelCall {
  let isBegun = canEnd
  // Otherwise the response would show a cut body as a complete one: a server whose grammar backend cannot compile the
  // constraint ends the call at once, with status 200.
  const checkBegun = (): void => {
    if (!isBegun) throw new EngineError('server_error', 'respond: the engine ended a constrained body without a text')
  }
  return {
    options: { constraint },
    writes: 'body',
    missing() {
      checkBegun()
      return []
    },
    // Rejects control tokens: an engine that samples them lets the model forge messages.
    read(tokens) {
      const taken = cutAfter(tokens, (id) => id >= FIRST_SPECIAL)
      const last = taken.tokens.at(-1)
      isBegun ||= taken.tokens.length > (taken.isOver ? 1 : 0)
      if (!taken.isOver) return taken
      if (!BODY_ENDS.includes(idOf(last as HarmonyToken))) {
        const id = idOf(last as HarmonyToken)
        throw new EngineError('server_error', `respond: the engine sampled ${id} under a constraint`)
      }
      checkBegun()
      return taken
    },
  }
}

function cutAfter(tokens: readonly HarmonyToken[], isEnd: (id: number) => boolean): TakenTokens {
  const end = tokens.findIndex((token) => isEnd(idOf(token)))
  return end === -1 ? { tokens, isOver: false } : { tokens: tokens.slice(0, end + 1), isOver: true }
}

function idOf(token: HarmonyToken): number {
  return typeof token === 'number' ? token : token.id
}
