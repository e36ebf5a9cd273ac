import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import type { HarmonyToken, HostUsage } from '../../../core/tokens/token-source.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { STOP_TOKENS } from '../../contract/index.js'
import type { HttpCall } from '../http/http-call.js'
import type { EngineStep } from '../http/token-reader.js'
import { type CompletionEvent, readEvent, readProgress } from './completion-event.js'
import { SentTokens, type Vocabulary } from './sent-tokens.js'

/** A step of one request. */
export interface CompletionStep extends EngineStep {
  /** Whether the server ends the request because it read a stop word, maybe in ordinary text. */
  readonly isStopWord?: boolean
}

/** Returns what converts the events of one request to `/completion`: it passes their steps on, in order. */
export function completionSteps(
  { prompt, logprobs }: HttpCall,
  vocabulary: Vocabulary,
): (value: unknown, take: (step: CompletionStep) => void) => void {
  const open = createStopTokenTracker(prompt, vocabulary.table)
  const sent = new SentTokens(vocabulary)
  let last: number | undefined
  return (value, take) => {
    if (isProgress(value)) {
      const { total, cache } = readProgress(value)
      take({ tokens: [], isAtWork: true, usage: countsOf({ inputTokens: total, cachedTokens: cache }) })
      return
    }
    const step = readEvent(value)
    const predicted = step.tokens_predicted ?? undefined
    const tokens = sent.take(withLogprobs(step, logprobs), step.content, predicted)
    if (tokens.length > 0) take({ tokens })
    last = step.tokens.at(-1) ?? last
    for (const id of step.tokens) open.add(id)
    if (!step.stop) {
      take({ tokens: [], usage: usageFrom(step, sent.isMiscounted) })
      return
    }
    // The server withholds an incomplete character to the end, with everything after it.
    const missing = predicted === undefined ? 0 : sent.missing(predicted)
    const hasStop = last !== undefined && STOP_TOKENS.includes(last)
    const isSwallowed = step.stop_type === 'eos' && missing > 0 && !hasStop
    const rest = sent.end(isSwallowed ? missing - 1 : sent.countsAhead ? 0 : missing)
    if (rest.length > 0) take({ tokens: rest })
    const reason = step.stop_type === 'limit' ? 'max_output_tokens' : 'stop'
    const stopToken = isSwallowed ? open.stopToken() : undefined
    const isStopWord = step.stop_type === 'word'
    take({ tokens: [], usage: usageFrom(step, sent.isMiscounted), end: { reason, stopToken }, isStopWord })
  }
}

function usageFrom({ tokens_evaluated, tokens_predicted, timings }: CompletionEvent, isMiscounted: boolean): HostUsage {
  return countsOf({
    inputTokens: tokens_evaluated,
    cachedTokens: timings?.cache_n,
    // Only the server knows the number of a text's tokens.
    outputTokens: isMiscounted ? tokens_predicted : undefined,
  })
}

/** Returns the counts that the server reports. */
function countsOf(counts: { readonly [Name in keyof HostUsage]: number | null | undefined }): HostUsage {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => typeof value === 'number'))
}

function isProgress(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'prompt_progress' in value
}

function withLogprobs({ tokens, completion_probabilities }: CompletionEvent, max: number | undefined): HarmonyToken[] {
  const [scores] = completion_probabilities ?? []
  if (max === undefined || scores === undefined) return tokens
  const { logprob, top_logprobs } = scores
  const topLogprobs = (top_logprobs ?? []).slice(0, max).map(({ id, logprob }) => ({ id, logprob }))
  return tokens.map((id) => (id === scores.id ? { id, logprob, topLogprobs } : id))
}

/** Tracks the open message to determine its stop token. */
interface StopTokenTracker {
  add(id: number): void
  /** `<|call|>` if the message has a recipient, else `<|return|>`. */
  stopToken(): number
}

/** @param prompt - ends with the message that the model continues */
function createStopTokenTracker(prompt: readonly number[], table: TokenTable): StopTokenTracker {
  let header: number[] = []
  let isHeader = false

  function add(id: number): void {
    if (id === SPECIAL.start) header = []
    if (id === SPECIAL.start || id === SPECIAL.message) isHeader = id === SPECIAL.start
    else if (isHeader) header.push(id)
  }

  for (const id of prompt.slice(Math.max(0, prompt.lastIndexOf(SPECIAL.start)))) add(id)
  return {
    add,
    stopToken() {
      const words = header.map((id) => table.text(id) ?? ' ').join('')
      return !isHeader && /\bto=/.test(words) ? SPECIAL.call : SPECIAL.return
    },
  }
}
