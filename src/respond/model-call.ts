import type { GenerateOptions } from '../engine/engine.js'
import { EngineError } from '../engine/engine-error.js'
import { generateOptions } from '../engine/generate-options.js'
import { STOP_TOKENS } from '../engine/stop-tokens.js'
import { FIRST_SPECIAL, SPECIAL } from '../harmony/vocabulary.js'
import type { ResponseFold } from '../journal/response-fold.js'
import type { HarmonyToken } from '../tokens/token-source.js'
import type { Budget } from './budget.js'
import { nameConstraint } from './callees.js'
import { chosenName } from './chosen-name.js'
import { isAnswerBegun } from './demanded-answer.js'
import { isBeforeForcedCall } from './next-step.js'
import type { HalfCharacter } from './strict/half-character.js'
import { HeaderWatch } from './strict/header-watch.js'

/** What the model is asked for next, and how far what it gives is taken. */
export interface ModelCall {
  readonly options: Pick<GenerateOptions, 'stop' | 'constraint'>
  /** What it writes. The ends of sequence that end the name of a tool are not part of the transcript. */
  readonly writes: 'anything' | 'body' | 'name'
  /** Whether the answers in it end at stop strings. */
  readonly isSearched?: boolean
  /** The tokens that complete what it has to write, in case the model stops before. */
  readonly missing?: () => readonly number[]
  /** What the host writes if the model stops in the header of a body that is held to something. */
  readonly beginning?: () => readonly number[] | undefined
  /**
   * Reads what the engine gave.
   *
   * @throws EngineError if the engine did not keep to the constraint
   */
  read(tokens: readonly HarmonyToken[]): TakenTokens
}

export interface TakenTokens {
  readonly tokens: readonly HarmonyToken[]
  /** Whether the call is over: nothing that the engine gives after them is taken. */
  readonly isOver: boolean
  /** What the host writes so that a body begins that is held to something: the model left its header open. */
  readonly beginning?: readonly number[]
}

const BODY_ENDS: readonly number[] = [...STOP_TOKENS, SPECIAL.end]

/** The next call of the model, which is sampling. Follows from the entries alone. */
export function modelCall(fold: ResponseFold, budget: Budget): ModelCall {
  const call = callAt(fold, budget)
  return budget.answer !== undefined && isAnswerBegun(budget.answer, fold) ? endedCall(call) : call
}

/**
 * A call of the model behind the header of the host's. A model that stops at once has written an empty answer, also if its
 * engine swallows the end: the response has its message, and the header is written once.
 */
function endedCall(call: ModelCall): ModelCall {
  let isEmpty = true
  return {
    ...call,
    read(tokens) {
      isEmpty &&= tokens.length === 0
      return call.read(tokens)
    },
    missing: () => (isEmpty ? [SPECIAL.return] : (call.missing?.() ?? [])),
  }
}

/** The call that goes on where the model stands. */
function callAt(fold: ResponseFold, budget: Budget): ModelCall {
  const name = budget.forced && chosenName(fold, budget.forced)
  if (name !== undefined) return chooseName(name.left)
  const { constraint, character } = budget.strict.openBody(fold.turnTokens) ?? {}
  if (constraint !== undefined) return { options: { constraint }, writes: 'body', read: readBody }
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
    // An engine that swallows the end has the model stop in its header.
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

/** What a call of the model is asked with, but for its signal. */
export function generationOptions(fold: ResponseFold, { options, writes }: ModelCall): GenerateOptions {
  const { request, capabilities = {} } = fold.open
  const { logprobs, ...given } = generateOptions(request)
  const { max_output_tokens: most } = request
  const isScored = logprobs !== undefined && (writes === 'anything' || capabilities.hasConstrainedLogprobs === true)
  return {
    ...given,
    ...(isScored && { logprobs }),
    ...(typeof most === 'number' && { maxTokens: most - fold.sampled }),
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
function completeCharacter(character: HalfCharacter, most: number): ModelCall {
  let left = character
  let taken = 0
  const missing = (): readonly number[] => left.completion.slice(0, most - taken)
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

// An engine that lets the model write control tokens lets it forge messages.
function readBody(tokens: readonly HarmonyToken[]): TakenTokens {
  const taken = cutAfter(tokens, (id) => id >= FIRST_SPECIAL)
  const last = taken.tokens.at(-1)
  if (taken.isOver && !BODY_ENDS.includes(idOf(last as HarmonyToken))) {
    throw new EngineError(
      'server_error',
      `respond: the engine sampled ${idOf(last as HarmonyToken)} under a constraint`,
    )
  }
  return taken
}

function cutAfter(tokens: readonly HarmonyToken[], isEnd: (id: number) => boolean): TakenTokens {
  const end = tokens.findIndex((token) => isEnd(idOf(token)))
  return end === -1 ? { tokens, isOver: false } : { tokens: tokens.slice(0, end + 1), isOver: true }
}

function idOf(token: HarmonyToken): number {
  return typeof token === 'number' ? token : token.id
}
