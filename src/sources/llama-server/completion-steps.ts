import { z } from 'zod'
import { STOP_TOKENS } from '../../engine/index.js'
import type { HarmonyToken, HostUsage } from '../../tokens/token-source.js'
import type { TokenTable } from '../../tokens/token-table.js'
import type { HttpCall } from '../http/http-engine.js'
import { count, logprob, parseEvent, tokenId } from '../http/parse-event.js'
import type { EngineStep } from '../http/steps-to-tokens.js'
import { BROKEN, type TokenIdRecovery } from './recover-token-ids.js'
import { createOpenMessage } from './stop-token.js'

const scored = z.object({ id: tokenId, logprob }, '{id, logprob}')

const partial = {
  tokens: z.array(tokenId, 'an array of token ids'),
  content: z.string('a string'),
  /** Of the whole call up to here. */
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

/** What is known of the tokens, shared by all calls. */
export interface Vocabulary {
  readonly table: TokenTable
  readonly recovery: TokenIdRecovery
}

/** What the events of one call to `/completion` say. */
export async function* completionSteps(
  events: AsyncIterable<unknown>,
  { prompt, logprobs }: HttpCall,
  load: () => Promise<Vocabulary>,
): AsyncGenerator<EngineStep> {
  const { table, recovery } = await load()
  const open = createOpenMessage(prompt, table)
  /** Tokens so far, also those that came as text. */
  let given = 0
  let last: number | undefined
  /** A server that drafts tokens may count those, too, that it has not sent yet. */
  let countsAhead = false
  let hasText = false

  /** What one event's tokens are, with those in front of them that were held back. */
  function* tokensOfEvent(step: Event): Generator<EngineStep['tokens']> {
    const { content, tokens, tokens_predicted: predicted } = step
    const own = withLogprobs(step, logprobs)
    const missing = (predicted ?? Number.NaN) - given - tokens.length
    const [id] = tokens
    // Several are all there are: none of them is hidden in a text.
    if (id === undefined || tokens.length > 1 || content === '') return yield own
    const front = recovery.textBefore(content, id)
    if (front === '') {
      countsAhead ||= missing > 0
      return yield own
    }
    const found = front === undefined ? recovery.find(content, id, countsAhead ? 0 : missing) : undefined
    if (found !== undefined) {
      given += found.length
      return yield [...found, ...own]
    }
    // A byte that is no UTF-8 by itself, and came by itself.
    if (front === undefined && missing === 0 && !countsAhead) return yield own
    hasText = true
    given += Math.max(0, missing || 0)
    // The token's own text may be a part of a character, which cannot be taken off.
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
    // Half a character is held back to the end, and whatever comes behind it with it.
    const missing = (step.tokens_predicted ?? given) - given
    const hasStop = last !== undefined && STOP_TOKENS.includes(last)
    const isSwallowed = step.stop_type === 'eos' && missing > 0 && !hasStop
    if (isSwallowed ? missing > 1 : missing > 0 && !countsAhead) {
      hasText = true
      yield { tokens: BROKEN }
    }
    const reason = step.stop_type === 'limit' ? 'max_output_tokens' : 'stop'
    const stopToken = isSwallowed ? open.stopToken() : undefined
    yield { tokens: [], usage: usageFrom(step, hasText), end: { reason, stopToken } }
  }
}

function usageFrom({ tokens_evaluated, tokens_predicted, timings }: Event, hasText: boolean): HostUsage {
  return {
    ...(typeof tokens_evaluated === 'number' ? { inputTokens: tokens_evaluated } : {}),
    ...(typeof timings?.cache_n === 'number' ? { cachedTokens: timings.cache_n } : {}),
    // Of text nobody but the server can tell how many tokens it was.
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
