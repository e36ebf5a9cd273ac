/**
 * The engine vLLM. docs/engines.md compares the engines.
 *
 * @packageDocumentation
 */

import { markerText } from '../../core/harmony/vocabulary.js'
import type { HarmonyToken } from '../../core/tokens/token-source.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, aString, oneOf, wholeNumber } from '../../shared/options/checks.js'
import { EngineError } from '../contract/engine-error.js'
import type { ServedEngine } from '../contract/engine-server.js'
import { BANNED } from './http/banned-tokens.js'
import type { StepReader } from './http/call-stream.js'
import type { HttpCall } from './http/http-call.js'
import { HTTP_OPTIONS, type HttpClient, type HttpOptions } from './http/http-client.js'
import { createHttpEngine } from './http/http-engine.js'
import { maxModelLen } from './http/max-model-len.js'
import { remembered } from './http/remembered.js'
import type { EngineStep } from './http/token-reader.js'
import { type GrammarBackend, NAMED_BACKENDS, type NamedBackend } from './structured-outputs/backends.js'
import type { SentConstraint } from './structured-outputs/fit-constraint.js'
import { createServerBackend } from './structured-outputs/server-backend.js'
import { type Choice, readChunk } from './vllm/chunk.js'
import { findBackend } from './vllm/find-backend.js'

export { STOP_TOKENS } from '../../core/harmony/stop-tokens.js'
export type * from '../contract/engine.js'
export { EngineError, type EngineErrorCode } from '../contract/engine-error.js'
export type * from '../contract/engine-server.js'
export type { GrammarBackend, NamedBackend } from './structured-outputs/backends.js'

/** Options of {@link createVllmEngine}. The `url` may end in `/v1`, as OpenAI's clients have it. */
export interface VllmEngineOptions extends HttpOptions {
  /** The name of the model or an adapter. Default: the served model. */
  readonly model?: string
  /**
   * The limit of prompt and answer tokens together. Needed for `capabilities()`, for calls without `maxTokens`, for
   * which the endpoint would generate only 16, and for those with a large one. Default: the model's `max_model_len`, as
   * the server reports it; asked again after a lost connection or a refused call.
   */
  readonly contextSize?: number
  /**
   * The grammar backend of the server, its `--structured-outputs-config.backend`. Default: detected by sampling a few
   * tokens when a constraint is first needed, and again after a lost connection or a refused constraint. Name it if
   * several servers share one address: detection asks only one of them.
   */
  readonly structuredOutputs?: NamedBackend
  /** Called with the grammar backend as soon as it is detected, and when that changes. */
  readonly onBackend?: (backend: GrammarBackend) => void
}

const VLLM_OPTIONS: OptionTable<VllmEngineOptions> = {
  ...HTTP_OPTIONS,
  model: aString,
  contextSize: wholeNumber(1),
  structuredOutputs: oneOf(...NAMED_BACKENDS),
  onBackend: aFunction,
}

/**
 * Connects to a gpt-oss model on vLLM, with `POST /v1/completions`: token ids in and out.
 *
 * Requires vLLM 0.10.2 or later. It sends the stop token like any other. It also stops at the ids in the model's
 * `generation_config.json`, which are the default ones, regardless of `stop`. `usage.cachedTokens` needs a server with
 * `--enable-prompt-tokens-details`. Servers allow 20 `logprobs`; `--max-logprobs` changes that.
 *
 * It does not use `/inference/v1/generate`, although that is made for tokens: only later versions stream from it, the
 * stream does not contain the stop token, and its shapes are still changing.
 *
 * A `constraint` is sent as `structured_outputs`, as the server's backend enforces it: to guidance as our grammar; to
 * xgrammar as a structural tag, which bounds its blanks, or as our grammar where xgrammar ignores what the schema
 * says; to others as `json`. `capabilities()` report the omitted parts. vLLM tells a Lark grammar from GBNF by the
 * absence of `::=`. It needs vLLM 0.11, and before 0.27 a server that was started with
 * `--structured-outputs-config.enable_in_reasoning=True`: without it, those take the body of a call for reasoning, and
 * silently constrain nothing (issue 57726; pull request 45560); no constraint is then sent. Special tokens are banned
 * as `bad_words`, since `logit_bias` is only a penalty of 100 there, and refused by servers that draft tokens, and
 * `allowed_token_ids` would list the whole vocabulary in each request.
 *
 * Written for the documented shapes: `CompletionRequest`, `CompletionStreamResponse` and `CompletionLogProbs` in
 * vllm/entrypoints/openai/completion/protocol.py, and the stream in serving.py beside it; `StructuredOutputsParams` and
 * `bad_words` in vllm/sampling_params.py; of vllm-project/vllm as of November 2026. Tried against a real server (vLLM
 * 0.32) with a scripted model.
 *
 * @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
 * @see https://docs.vllm.ai/en/latest/features/structured_outputs.html
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { createVllmEngine } from 'harmony-responses/sources/vllm'
 *
 * const engine = createVllmEngine({ url: 'http://localhost:8000', model: 'openai/gpt-oss-20b' })
 * const events = translate(engine.generate(promptTokens, { maxTokens: 512 }), { request })
 * ```
 */
export function createVllmEngine(options: VllmEngineOptions): ServedEngine {
  checkOptions('createVllmEngine', options, VLLM_OPTIONS)
  const { model, contextSize, structuredOutputs, onBackend, ...http } = options
  const url = typeof http.url === 'string' ? http.url.replace(/\/v1\/*(?=\?|$)/, '') : http.url
  const reportedSize = remembered((client, signal) => maxModelLen('vLLM', client, model, signal))
  const backend = createServerBackend({
    engine: 'vLLM',
    find: (client, signal) => findBackend(client, model, signal),
    hasLark: true,
    named: structuredOutputs,
    onBackend,
  })

  async function contextLength(client: HttpClient, signal: AbortSignal): Promise<number | undefined> {
    return contextSize ?? (await reportedSize.get(client, signal))
  }

  /**
   * The limit of a call: what fits after the prompt, if that is less; at least 1, so that vLLM itself reports a prompt
   * that is too long. vLLM cuts a limit to the remaining context, but refuses one above the whole context.
   */
  async function limitOf({ prompt, maxTokens }: HttpCall, client: HttpClient, signal: AbortSignal): Promise<number> {
    const knownSize = contextSize ?? reportedSize.known
    if (maxTokens !== undefined && maxTokens <= FITS_ANY && knownSize === undefined) return maxTokens
    const size = await contextLength(client, signal)
    if (size !== undefined) return Math.min(maxTokens ?? size, Math.max(1, size - prompt.length))
    if (maxTokens !== undefined) return maxTokens
    const expected = `expected a max_model_len for ${model ?? 'a model'} in /v1/models, got none`
    throw new EngineError('server_error', `${expected}: set contextSize (serve --context-size) or maxTokens`)
  }

  return createHttpEngine(
    { ...http, url },
    {
      name: 'vLLM',
      healthPaths: ['/health'],
      proof: {
        ownedBy: 'vllm',
        path: '/tokenize',
        body: (text) => ({ ...(model === undefined ? {} : { model }), prompt: text, add_special_tokens: false }),
        model,
      },
      generatePath: '/v1/completions',
      cacheSaltField: 'cache_salt',
      capabilities: { constraints: ['json_schema', 'regex', 'lark', 'gbnf'], hasConstrainedLogprobs: true },
      enforced: backend.enforced,
      onFailure: backend.onFailure,
      onLimitsMaybeStale: reportedSize.forget,
      async limits(client, signal) {
        const size = await contextLength(client, signal)
        return size === undefined ? {} : { contextLength: size }
      },
      async body(call, client, signal) {
        const { prompt, sampling, stop, logprobs, constraint, cacheSalt } = call
        const { temperature, topP, topK, minP, seed } = sampling
        return {
          ...(model === undefined ? {} : { model }),
          prompt,
          max_tokens: await limitOf(call, client, signal),
          temperature,
          top_p: topP,
          // -1 means no limit. Newer servers also accept 0.
          top_k: topK === 0 ? -1 : topK,
          min_p: minP,
          ...(seed === undefined ? {} : { seed }),
          stop_token_ids: stop,
          skip_special_tokens: false,
          ...(logprobs === undefined ? {} : { logprobs, return_tokens_as_token_ids: true }),
          ...(constraint === undefined ? {} : constrained(await backend.send(constraint, client, signal))),
          ...(cacheSalt === undefined ? {} : { cache_salt: cacheSalt }),
          return_token_ids: true,
          stream: true,
          stream_options: { include_usage: true },
        }
      },
      reader,
    },
  )
}

function constrained(sent: SentConstraint): object {
  const structured = sent.kind === 'json' ? { json: sent.schema } : { [sent.kind]: sent.text }
  return { structured_outputs: structured, bad_words: BAD_WORDS }
}

/** No server of gpt-oss has a smaller context. */
const FITS_ANY = 1_024

/** Banned by their spelling. The last one has another name in the model's own tokenizer. */
const BAD_WORDS: readonly string[] = [...BANNED.map(markerText), '<|endofprompt|>']

function reader({ logprobs }: HttpCall): StepReader {
  return {
    read(event, take) {
      const { choices, usage } = readChunk(event)
      // The last chunk has counts and no choice.
      const [choice] = choices
      const inputTokens = usage?.prompt_tokens
      const cachedTokens = usage?.prompt_tokens_details?.cached_tokens
      take({
        tokens: choice === undefined ? [] : tokensOf(choice, logprobs),
        ...(choice?.finish_reason ? { end: endOf(choice) } : {}),
        ...(typeof inputTokens !== 'number'
          ? {}
          : { usage: { inputTokens, ...(typeof cachedTokens === 'number' ? { cachedTokens } : {}) } }),
      })
    },
  }
}

function endOf({ finish_reason, stop_reason }: Choice): NonNullable<EngineStep['end']> {
  if (finish_reason === 'length') return { reason: 'max_output_tokens' }
  if (finish_reason === 'stop') {
    return { reason: 'stop', stopToken: typeof stop_reason === 'number' ? stop_reason : undefined }
  }
  throw new EngineError('server_error', `vLLM ended the call: ${finish_reason}`)
}

function tokensOf({ token_ids, logprobs }: Choice, max: number | undefined): HarmonyToken[] {
  const ids = token_ids ?? []
  if (max === undefined || !logprobs) return ids
  return ids.map((id, index) => {
    const own = logprobs.token_logprobs[index]
    if (own === undefined || idOf(logprobs.tokens[index]) !== id) return id
    const topLogprobs = Object.entries(logprobs.top_logprobs?.[index] ?? {})
      .flatMap(([name, logprob]) => ({ id: idOf(name), logprob }))
      .filter((top): top is { id: number; logprob: number } => top.id !== undefined)
      .sort((a, b) => b.logprob - a.logprob)
      .slice(0, max)
    return { id, logprob: own, topLogprobs }
  })
}

function idOf(token: string | undefined): number | undefined {
  const [, id] = /^token_id:(\d+)$/.exec(token ?? '') ?? []
  return id === undefined ? undefined : Number(id)
}
