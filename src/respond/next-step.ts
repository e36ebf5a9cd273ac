import { SPECIAL } from '../harmony/vocabulary.js'
import type { ResponseFold } from '../journal/response-fold.js'
import type { EndReason } from '../tokens/token-source.js'
import type { HostedCall } from '../tools/tool.js'
import type { Failure } from '../translate/failure.js'
import type { Budget } from './budget.js'
import { chosenName } from './chosen-name.js'
import { hasNoAnswer } from './demanded-answer.js'
import type { ForcedCall } from './forced-call.js'
import { isDemanded, isDemandUnmet } from './unmet-demand.js'
import { isCompleteCall, isForClient, isHosted, isRefused, type RefusedCall, waitingCalls } from './waiting-calls.js'

/** What a response that is open does next. */
export type Step =
  | { readonly type: 'sample' }
  | { readonly type: 'compact' }
  /** The conversation is summarized before the next turn, which would take in too much. */
  | { readonly type: 'compact_context' }
  | { readonly type: 'run_tools'; readonly calls: readonly HostedCall[] }
  /** The model has to learn that these calls of its last turn were refused. */
  | { readonly type: 'tell_refusals'; readonly calls: readonly RefusedCall[] }
  | { readonly type: 'turn'; readonly reminder?: readonly number[] }
  | { readonly type: 'fail'; readonly failure: Failure }
  | { readonly type: 'host'; readonly tokens: readonly number[] }
  | { readonly type: 'stop'; readonly reason: EndReason }
  | { readonly type: 'end'; readonly reason: EndReason }

/** The answer after nearly every token. */
const SAMPLE: Step = { type: 'sample' }

/** Decides from the entries alone, so that a process that takes over a response goes on as the one before would have. */
export function nextStep(fold: ResponseFold, budget: Budget): Step {
  if (fold.open.isPreparation) return { type: 'end', reason: 'stop' }
  if (fold.open.isCompaction) return fold.output.length === 0 ? { type: 'compact' } : { type: 'end', reason: 'stop' }
  const demanded = demandedTokens(fold, budget)
  if (demanded !== undefined) return { type: 'host', tokens: demanded }
  if (fold.stage === 'sampling') {
    if (isTurnOver(fold, budget)) return { type: 'stop', reason: 'stop' }
    return isSpent(fold, budget) ? { type: 'stop', reason: 'max_output_tokens' } : SAMPLE
  }
  if (fold.stage === 'stopped' && fold.stopped !== 'stop') return { type: 'end', reason: fold.stopped }
  const calls = waitingCalls(fold.modelOutput)
  if (calls.length > 0) {
    return budget.isTimeUp ? { type: 'end', reason: 'max_output_tokens' } : { type: 'run_tools', calls }
  }
  const { turnOutput } = fold
  const refused = turnOutput.filter(isRefused).filter(({ id }) => !fold.isAnswered(id))
  if (refused.length > 0) return { type: 'tell_refusals', calls: refused }
  if (fold.turns > 0 && isDemandUnmet(fold, budget)) return remind(fold, budget)
  const goesOn = fold.turns === 0 || (turnOutput.some(isHosted) && !turnOutput.some(isForClient))
  if (!goesOn) return answerOrEnd(fold, budget)
  // The API has no reason for too many turns: like too many tokens, they leave the answer incomplete.
  if (fold.turns >= budget.turns || isSpent(fold, budget)) return { type: 'end', reason: 'max_output_tokens' }
  return { type: fold.isToCompact ? 'compact_context' : 'turn' }
}

/**
 * What follows where the model has nothing more to do: the header of the answer that the request demands, if there is none.
 * Written once: with it, there is a message.
 */
function answerOrEnd(fold: ResponseFold, budget: Budget): Step {
  const { answer, forced } = budget
  // Where a call is demanded, no answer may take its place.
  if (answer === undefined || (forced !== undefined && isDemanded(fold)) || !hasNoAnswer(fold)) {
    return { type: 'end', reason: 'stop' }
  }
  return isSpent(fold, budget) ? { type: 'end', reason: 'max_output_tokens' } : { type: 'host', tokens: answer }
}

/** The model is reminded of a demand once. The client must not take what it wrote for the call that it demanded. */
function remind(fold: ResponseFold, budget: Budget): Step {
  const { reminder, unmet } = budget.forced as ForcedCall
  if (fold.isReminded) return { type: 'fail', failure: { code: 'server_error', message: unmet } }
  if (fold.turns >= budget.turns || isSpent(fold, budget)) return { type: 'end', reason: 'max_output_tokens' }
  return { type: 'turn', reminder }
}

/** Whether the model is thinking before a call that the request demands. */
export function isBeforeForcedCall(fold: ResponseFold, { forced }: Budget): boolean {
  return forced !== undefined && isDemanded(fold) && fold.hostWrites === 1
}

/** Whether nothing more may be sampled: of the tokens, of the time or of the engine's context. */
function isSpent(fold: ResponseFold, { tokens, isTimeUp }: Budget): boolean {
  const { contextLength = Number.POSITIVE_INFINITY } = fold.open.capabilities ?? {}
  return fold.sampled >= tokens || isTimeUp || fold.contextSize >= contextLength
}

/** What the host has to write now: a call that the request demands, or the end that the engine swallowed. */
function demandedTokens(fold: ResponseFold, budget: Budget): readonly number[] | undefined {
  if (fold.stopped !== 'stop' || (fold.stage !== 'sampling' && fold.stage !== 'stopped')) return undefined
  return forcedTokens(fold, budget) ?? swallowedEnd(fold, budget)
}

/** What the host has to write now, so that the first turn is the call that the request demands. */
function forcedTokens(fold: ResponseFold, budget: Budget): readonly number[] | undefined {
  const { forced, tokens } = budget
  if (forced === undefined || !isDemanded(fold) || fold.sampled >= tokens) return undefined
  if (fold.hostWrites === 0) return forced.reasoning
  if (isBeforeForcedCall(fold, budget)) {
    // A model that lost the end of its reasoning may have made the call already: with the header it would make a second one.
    return fold.isBetweenMessages && isDemandUnmet(fold, budget) ? forced.header : undefined
  }
  const name = chosenName(fold, forced)
  if (name === undefined || !name.left.includes('')) return undefined
  // Where another name begins with this one, the model says by stopping that it means this one.
  return name.left.length === 1 || fold.stage === 'stopped' ? forced.restOf(name.written) : undefined
}

function swallowedEnd(fold: ResponseFold, { strict }: Budget): readonly number[] | undefined {
  if (fold.stage !== 'stopped' || fold.isBetweenMessages) return undefined
  const body = strict.openBody(fold.turnTokens)
  if (body !== undefined) return [body.terminator]
  // A call is run, or shown, when it is whole: without its end the next turn would come before its result.
  return strict.isCallOpen(fold.turnTokens) ? [SPECIAL.call] : undefined
}

/** Whether the turn is over with its first call: the request says so, or demands one call by its name. */
export function hasOneCall(fold: ResponseFold, { hasParallelCalls, forced }: Budget): boolean {
  return !hasParallelCalls || (forced?.isNamed === true && isDemanded(fold))
}

/** Whether the model may not write any more in this turn, although it would. */
function isTurnOver(fold: ResponseFold, budget: Budget): boolean {
  // Asked after every token: the output is looked at only where a call can have ended.
  return hasOneCall(fold, budget) && fold.isBetweenMessages && fold.turnOutput.some(isCompleteCall)
}
