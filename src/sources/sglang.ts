import { z } from 'zod'
import { EngineError } from '../engine/engine-error.js'
import type { TokenEngine } from '../engine/index.js'
import type { HarmonyToken, HostUsage } from '../tokens/token-source.js'
import { failureOf } from './http/failure-of.js'
import type { HttpOptions } from './http/http-client.js'
import { createHttpEngine, type HttpCall } from './http/http-engine.js'
import { count, logprob, parseEvent, tokenId } from './http/parse-event.js'
import type { EngineStep } from './http/steps-to-tokens.js'

export { EngineError, type EngineErrorCode } from '../engine/engine-error.js'
export {
  type GenerateOptions,
  type Sampling,
  STOP_TOKENS,
  type TokenEngine,
  type TokenStream,
} from '../engine/index.js'

/** Options of {@link createSglangEngine}. */
export type SglangEngineOptions = HttpOptions

/**
 * A gpt-oss model that SGLang serves, by its own `POST /generate` with token ids in and out.
 *
 *     const engine = createSglangEngine({ url: 'http://localhost:30000' })
 *     translate(engine.generate(promptTokens, { maxTokens: 512 }), { request })
 *
 * By default SGLang sends with every token all that came before it: run it with `--incremental-streaming-output`, which
 * makes long answers cheaper; either is understood. `--skip-tokenizer-init` is welcome, too. It also stops at the ids
 * of the model's own `generation_config.json`, whatever `stop` says. A `seed` counts with
 * `--enable-deterministic-inference`.
 *
 * Written to, and tested against, the documented shapes, not a running server: the `/generate` endpoint in the
 * project's documentation (native API, sampling parameters), and tokenizer_manager.py and http_server.py of
 * sgl-project/sglang, as of November 2026.
 *
 * @see https://docs.sglang.io/basic_usage/native_api.html
 * @see https://docs.sglang.io/basic_usage/sampling_params.html
 * @throws HarmonyResponsesError `bad_option`
 */
export function createSglangEngine(options: SglangEngineOptions): TokenEngine {
  return createHttpEngine(options, {
    healthPath: '/health',
    generatePath: '/generate',
    body({ prompt, sampling, stop, maxTokens, logprobs }) {
      const { temperature, topP, topK, minP, seed } = sampling
      return {
        input_ids: prompt,
        sampling_params: {
          // Left out it would be 128; null is as many as fit.
          max_new_tokens: maxTokens ?? null,
          temperature,
          top_p: topP,
          top_k: topK === 0 ? -1 : topK,
          min_p: minP,
          ...(seed === undefined ? {} : { sampling_seed: seed }),
          stop_token_ids: stop,
          no_stop_trim: true,
          skip_special_tokens: false,
        },
        ...(logprobs === undefined
          ? {}
          : { return_logprob: true, top_logprobs_num: logprobs, return_text_in_logprobs: false }),
        stream: true,
      }
    },
    steps,
  })
}

// In a cumulative stream every event has all ids: what was looked at before is not looked at again.
const list = z.custom<readonly unknown[]>(Array.isArray, 'an array')

const chunk = z.object(
  {
    output_ids: list,
    meta_info: z.object(
      {
        finish_reason: z
          .object(
            {
              type: z.string('a string'),
              /** The id it stopped at; a text where that was one. */
              matched: z.unknown().optional(),
              message: z.string('a string').nullish(),
              status_code: z.number('a number').nullish(),
            },
            'an object',
          )
          .nullish(),
        prompt_tokens: count,
        cached_tokens: count,
        /** Of the whole call up to here. */
        completion_tokens: count,
        output_token_logprobs: list.nullish(),
        output_top_logprobs: list.nullish(),
      },
      'an object',
    ),
  },
  'an event of /generate',
)

type Chunk = z.infer<typeof chunk>

const ids = z.array(tokenId)
/** `[logprob, id, text or null]` */
const scored = z.tuple([logprob, tokenId], z.unknown(), '[logprob, id]')
const tops = z.array(scored, 'an array').nullish()

async function* steps(events: AsyncIterable<unknown>, { logprobs }: HttpCall): AsyncGenerator<EngineStep> {
  const seen: unknown[] = []
  for await (const event of events) {
    const step = parseEvent(chunk, event, 'SGLang')
    const { finish_reason: finish, prompt_tokens, cached_tokens } = step.meta_info
    const fresh = parseEvent(ids, newIds(step, seen), 'SGLang')
    for (const id of fresh) seen.push(id)
    const usage: HostUsage = {
      ...(typeof prompt_tokens === 'number' ? { inputTokens: prompt_tokens } : {}),
      ...(typeof cached_tokens === 'number' ? { cachedTokens: cached_tokens } : {}),
    }
    const tokens = logprobs === undefined ? fresh : withLogprobs(fresh, step, logprobs)
    // What was sampled before the engine broke off is not kept back.
    if (finish?.type === 'abort' && tokens.length > 0) yield { tokens, usage }
    yield { tokens, usage, ...(finish ? { end: endOf(finish) } : {}) }
  }
}

/**
 * The ids that were not there before. Whether the stream is cumulative is nowhere said, but the count of all tokens is,
 * and only one of the two readings leads to it; where it is missing, a list that begins with all ids so far has them.
 */
function newIds({ output_ids, meta_info }: Chunk, seen: readonly unknown[]): readonly unknown[] {
  const matched = meta_info.finish_reason?.matched
  const isSwallowed = typeof matched === 'number' && output_ids.at(-1) !== matched
  const total = (meta_info.completion_tokens ?? Number.NaN) - (isSwallowed ? 1 : 0)
  if (seen.length + output_ids.length === total) return output_ids
  if (output_ids.length === total) return output_ids.slice(seen.length)
  const isCumulative = output_ids.length >= seen.length && seen.every((id, index) => id === output_ids[index])
  return isCumulative ? output_ids.slice(seen.length) : output_ids
}

/** Cumulative or not, the last of the lists belong to the last of the ids. */
function withLogprobs(fresh: readonly number[], { meta_info }: Chunk, most: number): HarmonyToken[] {
  const { output_token_logprobs, output_top_logprobs, finish_reason } = meta_info
  // A stop token that is not among the ids has its probability all the same.
  const own = output_token_logprobs ?? []
  const lag =
    own.length > 0 && isOf(own.at(-1), finish_reason?.matched) && fresh.at(-1) !== finish_reason?.matched ? 1 : 0
  return fresh.map((id, index) => {
    const fromEnd = fresh.length - index + lag
    const value = own.at(-fromEnd)
    if (value === undefined) return id
    const [ownLogprob, ownId] = parseEvent(scored, value, 'SGLang')
    if (ownId !== id) return id
    const top = parseEvent(tops, output_top_logprobs?.at(-fromEnd), 'SGLang') ?? []
    const topLogprobs = top.slice(0, most).map(([logprob, id]) => ({ id, logprob }))
    return { id, logprob: ownLogprob, topLogprobs }
  })
}

function isOf(value: unknown, id: unknown): boolean {
  return Array.isArray(value) && value[1] === id
}

function endOf(finish: NonNullable<Chunk['meta_info']['finish_reason']>): NonNullable<EngineStep['end']> {
  const { type, matched, message, status_code } = finish
  if (type === 'length') return { reason: 'max_output_tokens' }
  if (type === 'stop') return { reason: 'stop', stopToken: typeof matched === 'number' ? matched : undefined }
  if (type === 'abort')
    throw failureOf({ message: message ?? 'SGLang aborted the call' }, { status: status_code ?? undefined })
  throw new EngineError('server_error', `SGLang ended the call: ${type}`)
}
