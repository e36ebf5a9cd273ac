import * as z from 'zod'
import { STOP_TOKENS } from '../../engine/index.js'
import type { HarmonyToken, HostUsage } from '../../tokens/token-source.js'
import type { TokenTable } from '../../tokens/token-table.js'
import type { HttpCall } from '../http/http-engine.js'
import { count, logprob, parseEvent, tokenId } from '../http/parse-event.js'
import type { EngineStep } from '../http/steps-to-tokens.js'
import { BROKEN, type TokenIdRecovery } from './recover-token-ids.js'
import { createStopTokenTracker } from './stop-token.js'
import { createWithheldText } from './withheld-text.js'

const scored = z.object({ id: tokenId, logprob }, '{id, logprob}')

const partial = {
  tokens: z.array(tokenId, 'an array of token ids'),
  content: z.string('a string'),
  /** Counts of the call so far. */
  tokens_predicted: count,
  tokens_evaluated: count,
  completion_probabilities: z
    .array(scored.extend({ top_logprobs: z.array(scored, 'an array').nullish() }), 'an array')
    .nullish(),
  timings: z.object({ cache_n: count }).nullish(),
}

const event = z.discriminatedUnion(
  'stop',
  [
    z.object({ ...partial, stop: z.literal(false) }),
    z.object({
      ...partial,
      stop: z.literal(true),
      stop_type: z.enum(['eos', 'word', 'limit'], 'eos, word or limit'),
    }),
  ],
  'an event of /completion',
)

type Event = z.infer<typeof event>

/** The vocabulary data that all calls share. */
export interface Vocabulary {
  readonly table: TokenTable
  readonly recovery: TokenIdRecovery
}

/** A step of one request. */
export interface CompletionStep extends EngineStep {
  /** Whether the server ends the request because it read a stop word, maybe in ordinary text. */
  readonly isStopWord?: boolean
}

/** Converts the events of one request to `/completion`. */
export async function* completionSteps(
  events: AsyncIterable<unknown>,
  { prompt, logprobs }: HttpCall,
  load: () => Promise<Vocabulary>,
): AsyncGenerator<CompletionStep> {
  const { table, recovery } = await load()
  const open = createStopTokenTracker(prompt, table)
  const withheld = createWithheldText(table)
  /** Tokens so far, including those that came as text. */
  let given = 0
  let last: number | undefined
  /** Whether the server counts tokens that it has not sent yet, as one with speculative decoding may. */
  let countsAhead = false
  let hasText = false

  /** The tokens of one event, preceded by those that the server withheld. */
  function* tokensOfEvent(step: Event): Generator<EngineStep['tokens']> {
    const { tokens, tokens_predicted: predicted } = step
    const own = withLogprobs(step, logprobs)
    const missing = (predicted ?? Number.NaN) - given - tokens.length
    const [id] = tokens
    // An event with several tokens is complete: none of them is hidden in its text.
    if (id === undefined || tokens.length > 1) return yield own
    const content = withheld.unexplained(step.content, id)
    const front = content === '' ? '' : recovery.textBefore(content, id)
    if (front === '') {
      countsAhead ||= missing > 0 && step.content !== ''
      return yield own
    }
    const found = front === undefined ? recovery.find(content, id, countsAhead ? 0 : missing) : undefined
    if (found !== undefined) {
      given += found.length
      return yield [...found, ...own]
    }
    // A single token that is not valid UTF-8 on its own.
    if (front === undefined && missing === 0 && !countsAhead) return yield own
    hasText = true
    given += Math.max(0, missing || 0)
    // The token's own text may be part of a character, which cannot be separated.
    yield front ?? content
    if (front !== undefined) yield own
  }

  for await (const value of events) {
    const step = parseEvent(event, value, 'llama-server')
    for (const tokens of tokensOfEvent(step)) yield { tokens }
    given += step.tokens.length
    last = step.tokens.at(-1) ?? last
    for (const id of step.tokens) open.add(id)
    if (!step.stop) {
      yield { tokens: [], usage: usageFrom(step, hasText) }
      continue
    }
    // The server withholds an incomplete character to the end, with everything after it.
    const missing = (step.tokens_predicted ?? given) - given
    const hasStop = last !== undefined && STOP_TOKENS.includes(last)
    const isSwallowed = step.stop_type === 'eos' && missing > 0 && !hasStop
    if (isSwallowed ? missing > 1 : missing > 0 && !countsAhead) {
      hasText = true
      yield { tokens: BROKEN }
    }
    const reason = step.stop_type === 'limit' ? 'max_output_tokens' : 'stop'
    const stopToken = isSwallowed ? open.stopToken() : undefined
    const isStopWord = step.stop_type === 'word'
    yield { tokens: [], usage: usageFrom(step, hasText), end: { reason, stopToken }, isStopWord }
  }
}

function usageFrom({ tokens_evaluated, tokens_predicted, timings }: Event, hasText: boolean): HostUsage {
  return {
    ...(typeof tokens_evaluated === 'number' ? { inputTokens: tokens_evaluated } : {}),
    ...(typeof timings?.cache_n === 'number' ? { cachedTokens: timings.cache_n } : {}),
    // Only the server knows how many tokens a text was.
    ...(hasText && typeof tokens_predicted === 'number' ? { outputTokens: tokens_predicted } : {}),
  }
}

function withLogprobs({ tokens, completion_probabilities }: Event, most: number | undefined): HarmonyToken[] {
  const [scores] = completion_probabilities ?? []
  if (most === undefined || scores === undefined) return tokens
  const { logprob, top_logprobs } = scores
  const topLogprobs = (top_logprobs ?? []).slice(0, most).map(({ id, logprob }) => ({ id, logprob }))
  return tokens.map((id) => (id === scores.id ? { id, logprob, topLogprobs } : id))
}
