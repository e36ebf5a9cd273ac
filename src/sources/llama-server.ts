import { z } from 'zod'
import { check } from '../errors.js'
import type { HarmonyToken, HostUsage } from '../tokens/token-source.js'
import { loadTokenTable } from '../tokens/token-table.js'
import type { TokenEngine } from './engine.js'
import type { HttpOptions } from './http/http-client.js'
import { createHttpEngine, type HttpCall } from './http/http-engine.js'
import { count, logprob, parseEvent, tokenId } from './http/parse-event.js'
import type { EngineStep } from './http/tokens-of.js'
import { createHeldBack, type HeldBack } from './llama-server/held-back.js'

export { type GenerateOptions, type Sampling, STOP_TOKENS, type TokenEngine, type TokenStream } from './engine.js'
export { EngineError, type EngineErrorCode } from './engine-error.js'

/** Options of {@link createLlamaServerEngine}. */
export interface LlamaServerEngineOptions extends HttpOptions {
  /** Which model, where llama-server runs as a router. Default: the one it runs. */
  readonly model?: string
}

/**
 * A gpt-oss model that llama.cpp's `llama-server` runs, by its own `POST /completion` with token ids in and out.
 *
 *     const engine = createLlamaServerEngine({ url: 'http://localhost:8080' })
 *     translate(engine.generate(promptTokens, { maxTokens: 512 }), { request })
 *
 * llama-server gives the stop token as it gives any other. It knows no ids to stop at but the model's own, which are the
 * default ones: at others the stream ends, and the request is closed. Log-probabilities are the model's own, before
 * temperature and limits.
 *
 * It keeps back the ids of a character that is cut in several tokens, and then gives its text and the last id only. The
 * others are found again by their bytes. Where those were no UTF-8 the text comes instead of ids, and `usage` counts it.
 *
 * Written to, and tested against, the documented shapes, not a running server: `/completion` and `/health` in
 * tools/server/README.md, and server-task.cpp and server-context.cpp beside it, of ggml-org/llama.cpp as of November
 * 2026; `return_tokens` and `stop_type` came in December 2024.
 *
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 * @throws HarmonyResponsesError `bad_option`
 */
export function createLlamaServerEngine(options: LlamaServerEngineOptions): TokenEngine {
  const { model, ...http } = Object(options) as LlamaServerEngineOptions
  check(model === undefined || typeof model === 'string', 'model', 'a string', model)
  let heldBack: HeldBack | undefined
  const loadHeldBack = async (): Promise<HeldBack> => {
    heldBack ??= createHeldBack(await loadTokenTable())
    return heldBack
  }

  return createHttpEngine(http, {
    healthPath: '/health',
    generatePath: '/completion',
    body({ prompt, sampling, maxTokens, logprobs }) {
      const { temperature, topP, topK, minP, seed } = sampling
      return {
        ...(model === undefined ? {} : { model }),
        prompt,
        n_predict: maxTokens ?? -1,
        temperature,
        top_p: topP,
        top_k: topK,
        min_p: minP,
        // Without those for penalties, which the server's command line may have set.
        samplers: ['top_k', 'top_p', 'min_p', 'temperature'],
        ...(seed === undefined ? {} : { seed: seedOf(seed) }),
        ...(logprobs === undefined ? {} : { n_probs: Math.max(1, logprobs) }),
        cache_prompt: true,
        return_tokens: true,
        stream: true,
      }
    },
    steps: (events, call) => steps(events, call, loadHeldBack),
  })
}

/** Its seeds have 32 bits, of which the largest is its word for any. */
function seedOf(seed: number): number {
  const any = 0xffff_ffff
  return ((seed % any) + any) % any
}

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

async function* steps(
  events: AsyncIterable<unknown>,
  { logprobs }: HttpCall,
  loadHeldBack: () => Promise<HeldBack>,
): AsyncGenerator<EngineStep> {
  const heldBack = await loadHeldBack()
  /** Tokens so far, also those that came as text. */
  let given = 0
  /** A server that drafts tokens counts those, too, that it has not sent yet. */
  let countsAhead = false
  let hasText = false
  for await (const value of events) {
    const step = parseEvent(event, value, 'llama-server')
    const { content, tokens_predicted: predicted } = step
    let tokens: EngineStep['tokens'] = withLogprobs(step, logprobs)
    const [last] = step.tokens
    const missing = (predicted ?? 0) - given - step.tokens.length
    if (last !== undefined && heldBack.isMore(content, last)) {
      const before = heldBack.find(content, last, countsAhead ? 0 : missing)
      if (before === undefined) hasText = true
      given += before?.length ?? Math.max(0, missing)
      tokens = before === undefined ? content : [...before, ...tokens]
    } else countsAhead ||= missing > 0
    given += step.tokens.length
    yield {
      tokens,
      usage: usageOf(step, hasText),
      ...(step.stop ? { end: { reason: step.stop_type === 'limit' ? 'max_output_tokens' : 'stop' } } : {}),
    }
  }
}

function usageOf({ tokens_evaluated, tokens_predicted, timings }: Event, hasText: boolean): HostUsage {
  return {
    ...(typeof tokens_evaluated === 'number' ? { inputTokens: tokens_evaluated } : {}),
    ...(typeof timings?.cache_n === 'number' ? { cachedTokens: timings.cache_n } : {}),
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
