import type { Failure } from '../../../core/completion/failure.js'
import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import type { EndReason } from '../../../core/tokens/token-source.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import type { HostedCall } from '../../tools/tool.js'
import {
  isCompleteCall,
  isForClient,
  isHosted,
  isRefused,
  type RefusedCall,
  waitingCalls,
} from '../calls/waiting-calls.js'
import { hasNoAnswer } from '../demand/demanded-answer.js'
import type { ForcedCall } from '../demand/forced-call.js'
import { isDemanded, isDemandUnmet } from '../demand/unmet-demand.js'
import type { Budget } from './budget.js'
import { chosenName } from './chosen-name.js'

/** The next step of an open response. */
export type Step =
  | { readonly type: 'sample' }
  | { readonly type: 'compact' }
  /** Summarizes the conversation before the next turn, whose input would be too long. */
  | { readonly type: 'compact_context' }
  | { readonly type: 'run_tools'; readonly calls: readonly HostedCall[] }
  /** Tells the model that these calls of its last turn were refused. */
  | { readonly type: 'tell_refusals'; readonly calls: readonly RefusedCall[] }
  | { readonly type: 'turn'; readonly reminder?: readonly number[] }
  | { readonly type: 'fail'; readonly failure: Failure }
  | { readonly type: 'host'; readonly tokens: readonly number[] }
  | { readonly type: 'stop'; readonly reason: EndReason }
  | { readonly type: 'end'; readonly reason: EndReason }

/** The result after nearly every token. */
const SAMPLE: Step = { type: 'sample' }

/**
 * Decides from the entries alone, so that a process that takes over a response continues as the earlier one would have.
 */
export function nextStep(fold: ResponseFold, budget: Budget): Step {
  if (fold.open.isPreparation) return { type: 'end', reason: 'stop' }
  if (fold.open.isCompaction) return fold.outputLength === 0 ? { type: 'compact' } : { type: 'end', reason: 'stop' }
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
  if (fold.turns > 0 && isDemandUnmet(fold, budget.forced)) return remind(fold, budget)
  const continues = fold.turns === 0 || (turnOutput.some(isHosted) && !turnOutput.some(isForClient))
  if (!continues) return answerOrEnd(fold, budget)
  // The API has no reason for too many turns: like too many tokens, they leave the answer incomplete.
  if (fold.turns >= budget.turns || isSpent(fold, budget)) return { type: 'end', reason: 'max_output_tokens' }
  return { type: fold.isToCompact ? 'compact_context' : 'turn' }
}

/**
 * Decides when the model has finished: writes the header of the answer that the request demands, if there is no
 * message. Once only, since the header makes a message.
 */
function answerOrEnd(fold: ResponseFold, budget: Budget): Step {
  const { answer, forced, capabilities } = budget
  // If a call is demanded, no answer may take its place.
  if (
    answer === undefined ||
    takesMessages(capabilities) ||
    (forced !== undefined && isDemanded(fold)) ||
    !hasNoAnswer(fold)
  ) {
    return { type: 'end', reason: 'stop' }
  }
  return isSpent(fold, budget) ? { type: 'end', reason: 'max_output_tokens' } : { type: 'host', tokens: answer }
}

/** Reminds the model of a demand, once. The client must not take its text for the demanded call. */
function remind(fold: ResponseFold, budget: Budget): Step {
  const { reminder, unmet } = budget.forced as ForcedCall
  if (fold.isReminded) return { type: 'fail', failure: { code: 'server_error', message: unmet } }
  if (fold.turns >= budget.turns || isSpent(fold, budget)) return { type: 'end', reason: 'max_output_tokens' }
  return { type: 'turn', reminder }
}

/** Whether the engine's server renders the prompt itself: nothing is written in its turn, and its own counts decide. */
export function takesMessages({ takes }: Budget['capabilities']): boolean {
  return takes === 'messages'
}

/** Whether the model is thinking before a call that the request demands. */
export function isBeforeForcedCall(fold: ResponseFold, { forced }: Budget): boolean {
  return forced !== undefined && isDemanded(fold) && fold.hostWrites === 1
}

/**
 * The limit of a response's items. No model has a use for so many, and each is written again at the end, in one piece
 * with all others.
 */
const MAX_ITEMS = 10_000

/** Whether sampling is exhausted: by tokens, items, time or the engine's context. */
function isSpent(fold: ResponseFold, { tokens, isTimeUp, capabilities }: Budget): boolean {
  const { contextLength = Number.POSITIVE_INFINITY } = capabilities
  if (takesMessages(capabilities)) {
    return fold.outputLength >= MAX_ITEMS || isTimeUp || (fold.stage !== 'sampling' && fold.sampled >= tokens)
  }
  return fold.sampled >= tokens || fold.outputLength >= MAX_ITEMS || isTimeUp || fold.contextSize >= contextLength
}

/** Returns the tokens that the host has to write now: a demanded call, or the end that the engine swallowed. */
function demandedTokens(fold: ResponseFold, budget: Budget): readonly number[] | undefined {
  if (takesMessages(budget.capabilities)) return undefined
  if (fold.stopped !== 'stop' || (fold.stage !== 'sampling' && fold.stage !== 'stopped')) return undefined
  return forcedTokens(fold, budget) ?? swallowedEnd(fold, budget)
}

/** Returns the tokens that the host has to write now for the first turn to be the demanded call. */
function forcedTokens(fold: ResponseFold, budget: Budget): readonly number[] | undefined {
  const { forced, tokens } = budget
  if (forced === undefined || !isDemanded(fold) || fold.sampled >= tokens) return undefined
  if (fold.hostWrites === 0) return forced.reasoning
  if (isBeforeForcedCall(fold, budget)) {
    // A model that lost the end of its reasoning may have made the call already, and would make a second one after the
    // header.
    return fold.isBetweenMessages && isDemandUnmet(fold, budget.forced) ? forced.header : undefined
  }
  const name = chosenName(fold, forced)
  if (name === undefined || !name.left.includes('')) return undefined
  // If another name begins with this one, the model selects this one by stopping.
  return name.left.length === 1 || fold.stage === 'stopped' ? forced.restOf(name.written) : undefined
}

function swallowedEnd(fold: ResponseFold, { strict }: Budget): readonly number[] | undefined {
  if (fold.stage !== 'stopped' || fold.isBetweenMessages) return undefined
  const body = strict.openBody(fold.turnTokens)
  if (body !== undefined) return [body.terminator]
  // A call runs, or is shown, once complete: without its end the next turn would precede its result.
  return strict.isCallOpen(fold.turnTokens) ? [SPECIAL.call] : undefined
}

/**
 * Returns the number of tokens that a call can sample before {@link nextStep} can return anything but `sample`. Calling
 * it after each token would read a dozen objects, which miss the cache when many responses run.
 *
 * @param isTimed - whether the response has a time limit
 */
export function tokensToLimit(fold: ResponseFold, budget: Budget, isTimed: boolean): number {
  if (isTimed || budget.forced !== undefined || hasOneCall(fold, budget)) return 0
  const { contextLength = Number.POSITIVE_INFINITY } = budget.capabilities
  if (takesMessages(budget.capabilities)) return MAX_ITEMS - fold.outputLength
  // An item takes a token at least.
  return Math.min(budget.tokens - fold.sampled, MAX_ITEMS - fold.outputLength, contextLength - fold.contextSize)
}

/** Whether the turn ends with its first call: the request says so, or demands one call by its name. */
export function hasOneCall(fold: ResponseFold, { hasParallelCalls, forced, capabilities }: Budget): boolean {
  // Such an engine is told so, and still has to read the server's counts.
  if (takesMessages(capabilities)) return false
  return !hasParallelCalls || (forced?.isNamed === true && isDemanded(fold))
}

/** Whether the model has to stop in this turn, although it would continue. */
function isTurnOver(fold: ResponseFold, budget: Budget): boolean {
  // Checked after every token, so the output is examined only where a call can have ended.
  return hasOneCall(fold, budget) && fold.isBetweenMessages && fold.turnOutput.some(isCompleteCall)
}
