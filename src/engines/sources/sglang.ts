/**
 * The engine SGLang. docs/engines.md compares the engines.
 *
 * @packageDocumentation
 */

import * as z from 'zod'
import type { HarmonyToken, HostUsage } from '../../core/tokens/token-source.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, oneOf, wholeNumber } from '../../shared/options/checks.js'
import { EngineError } from '../contract/engine-error.js'
import type { ServedEngine } from '../contract/engine-server.js'
import { promptTooLong } from '../contract/prompt-too-long.js'
import { BANNED } from './http/banned-tokens.js'
import type { StepReader } from './http/call-stream.js'
import { failureOf } from './http/failure-of.js'
import type { HttpCall } from './http/http-call.js'
import { HTTP_OPTIONS, type HttpOptions } from './http/http-client.js'
import { createHttpEngine } from './http/http-engine.js'
import { maxModelLen } from './http/max-model-len.js'
import { listOf, logprob, parseEvent, tokenId } from './http/parse-event.js'
import { remembered } from './http/remembered.js'
import type { EngineStep } from './http/token-reader.js'
import { type Chunk, type Finish, readChunk, readIds } from './sglang/chunk.js'
import { INFO_PATHS, readServerInfo, type ServerInfo } from './sglang/server-info.js'
import { type GrammarBackend, NAMED_BACKENDS, type NamedBackend } from './structured-outputs/backends.js'
import type { SentConstraint } from './structured-outputs/fit-constraint.js'
import { createServerBackend } from './structured-outputs/server-backend.js'

export { STOP_TOKENS } from '../../core/harmony/stop-tokens.js'
export type * from '../contract/engine.js'
export { EngineError, type EngineErrorCode } from '../contract/engine-error.js'
export type * from '../contract/engine-server.js'
export type { GrammarBackend, NamedBackend } from './structured-outputs/backends.js'

/** Options of {@link createSglangEngine}. */
export interface SglangEngineOptions extends HttpOptions {
  /**
   * The limit of prompt and answer tokens together, for `capabilities()`. Default: the `max_model_len` of the served
   * model, as the server reports it; asked again after a lost connection or a refused call.
   */
  readonly contextSize?: number
  /**
   * The grammar backend of the server, its `--grammar-backend`; `guidance` is SGLang's `llguidance`. Default: as the
   * server reports it in `/server_info`. Name it where several servers stand behind one address.
   */
  readonly structuredOutputs?: NamedBackend
  /** Called with the grammar backend as soon as the server has reported it, and when that changes. */
  readonly onBackend?: (backend: GrammarBackend) => void
}

const SGLANG_OPTIONS: OptionTable<SglangEngineOptions> = {
  ...HTTP_OPTIONS,
  contextSize: wholeNumber(1),
  structuredOutputs: oneOf(...NAMED_BACKENDS),
  onBackend: aFunction,
}

/**
 * Connects to a gpt-oss model on SGLang, with its own `POST /generate`: token ids in and out.
 *
 * By default SGLang repeats all earlier tokens with every new one. Both forms work, but
 * `--incremental-streaming-output` makes long answers cheaper. `--skip-tokenizer-init` works too. SGLang also stops at
 * the ids in the model's `generation_config.json`, regardless of `stop`. A `seed` needs
 * `--enable-deterministic-inference`.
 *
 * A `constraint` is a JSON Schema, a regular expression or GBNF (`ebnf`), with log-probabilities too. A schema is sent
 * as the server's backend enforces it: to llguidance as a grammar of ours; to xgrammar as a structural tag, or as our
 * grammar where xgrammar ignores what the schema says; to others as `json_schema`. Special tokens are banned by
 * `logit_bias`, which is added to the scores as it is. Start the server without `--reasoning-parser`: with it, some
 * versions constrain only what follows the end of a reasoning, and so nothing here (issue 11971). A constraint that
 * SGLang cannot compile is an EngineError `invalid_prompt` with its message.
 *
 * Prompts are shorter than the `max_req_input_len` of `/server_info`, and longer ones are not sent. `health()` asks the
 * same path: SGLang's `/health` takes a second and generates a token when the server is idle.
 *
 * Written for the documented shapes: the `/generate` endpoint in the project's documentation (native API, sampling
 * parameters), and tokenizer_manager.py, http_server.py, sampling_params.py and sampling_batch_info.py of
 * sgl-project/sglang, as of November 2026. Tested against recorded answers of a real server (SGLang 0.5.23) with a
 * scripted model.
 *
 * @see https://docs.sglang.io/basic_usage/native_api.html
 * @see https://docs.sglang.io/basic_usage/sampling_params.html
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { createSglangEngine } from 'harmony-responses/sources/sglang'
 *
 * const engine = createSglangEngine({ url: 'http://localhost:30000' })
 * const events = translate(engine.generate(promptTokens, { maxTokens: 512 }), { request })
 * ```
 */
export function createSglangEngine(options: SglangEngineOptions): ServedEngine {
  checkOptions('createSglangEngine', options, SGLANG_OPTIONS)
  const { contextSize, structuredOutputs, onBackend, ...http } = options
  const reportedSize = remembered((client, signal) => maxModelLen('SGLang', client, undefined, signal))
  const info = remembered(readServerInfo)
  const backend = createServerBackend({
    engine: 'SGLang',
    find: async (client, signal) => backendOf(await info.get(client, signal)),
    hasLark: false,
    named: structuredOutputs,
    onBackend,
    onLimitsMaybeStale: info.forget,
  })
  return createHttpEngine(http, {
    name: 'SGLang',
    healthPaths: [...INFO_PATHS, '/health'],
    proof: { ownedBy: 'sglang', path: '/tokenize', body: (text) => ({ prompt: text, add_special_tokens: false }) },
    generatePath: '/generate',
    cacheSaltField: 'extra_key',
    capabilities: { constraints: ['json_schema', 'regex', 'gbnf'], hasConstrainedLogprobs: true },
    async limits(client, signal) {
      const contextLength = contextSize ?? (await reportedSize.get(client, signal))
      const { maxPromptLength } = await info.get(client, signal)
      return {
        ...(contextLength !== undefined && { contextLength }),
        ...(maxPromptLength !== undefined && { maxPromptLength }),
      }
    },
    enforced: backend.enforced,
    onFailure: backend.onFailure,
    onLimitsMaybeStale() {
      reportedSize.forget()
      info.forget()
    },
    async body({ prompt, sampling, stop, maxTokens, logprobs, constraint, cacheSalt }, client, signal) {
      const { temperature, topP, topK, minP, seed } = sampling
      const { maxPromptLength = Number.POSITIVE_INFINITY } = await info.get(client, signal)
      // Its own refusal costs a place in its queue, and with `--allow-auto-truncate` it would answer another prompt.
      if (prompt.length > maxPromptLength) throw promptTooLong(prompt.length, maxPromptLength + 1)
      return {
        input_ids: prompt,
        sampling_params: {
          max_new_tokens: newTokens(maxTokens, maxPromptLength - prompt.length),
          temperature,
          top_p: topP,
          top_k: topK === 0 ? -1 : topK,
          min_p: minP,
          ...(seed === undefined ? {} : { sampling_seed: seed }),
          stop_token_ids: stop,
          no_stop_trim: true,
          skip_special_tokens: false,
          ...(constraint === undefined ? {} : constrained(await backend.send(constraint, client, signal))),
        },
        ...(cacheSalt === undefined ? {} : { extra_key: cacheSalt }),
        ...(logprobs === undefined
          ? {}
          : { return_logprob: true, top_logprobs_num: logprobs, return_text_in_logprobs: false }),
        stream: true,
      }
    },
    reader,
  })
}

/** By the names of `--grammar-backend`. Its default is xgrammar. */
const BACKENDS: Readonly<Record<string, GrammarBackend>> = {
  xgrammar: 'xgrammar',
  llguidance: 'guidance',
  outlines: 'other',
  none: 'none',
}

function backendOf({ grammarBackend = '' }: ServerInfo): GrammarBackend {
  return BACKENDS[grammarBackend] ?? 'other'
}

/**
 * Returns the requested number, but null, for as many as fit, if more are requested: SGLang refuses a call whose prompt
 * and answer together exceed the context. Its default would be 128.
 */
function newTokens(maxTokens: number | undefined, room: number): number | null {
  return maxTokens === undefined || maxTokens > room ? null : maxTokens
}

function constrained(sent: SentConstraint): object {
  return { ...constraintField(sent), logit_bias: LOGIT_BIAS }
}

function constraintField(sent: SentConstraint): Record<string, string> {
  switch (sent.kind) {
    case 'json':
      return { json_schema: JSON.stringify(sent.schema) }
    case 'grammar':
      return { ebnf: sent.text }
    default:
      return { [sent.kind]: sent.text }
  }
}

/** JSON has no -Infinity, and no score comes near this. */
const LOGIT_BIAS: Readonly<Record<string, number>> = Object.fromEntries(BANNED.map((id) => [id, -10_000]))

/** `[logprob, id, text or null]` */
const scored = z.tuple([logprob, tokenId], z.unknown(), '[logprob, id]')
const tops = listOf(scored, 'an array').nullish()

function reader(call: HttpCall): StepReader {
  const { logprobs } = call
  const seen: unknown[] = []
  return {
    read(event, take) {
      const step = readChunk(event)
      const { finish_reason: finish, prompt_tokens, cached_tokens } = step.meta_info
      // Checked before its token is read, which is sampled from a prompt that SGLang made up, and may be a stop token.
      if (finish && isRefusal(finish)) throw failureOfAbort(finish)
      if (typeof prompt_tokens === 'number' && prompt_tokens < call.prompt.length) throw cut(call, prompt_tokens)
      const fresh = readIds(newIds(step, seen))
      for (const id of fresh) seen.push(id)
      const usage: HostUsage = {
        ...(typeof prompt_tokens === 'number' ? { inputTokens: prompt_tokens } : {}),
        ...(typeof cached_tokens === 'number' ? { cachedTokens: cached_tokens } : {}),
      }
      const tokens = logprobs === undefined ? fresh : withLogprobs(fresh, step, logprobs)
      // Delivers the tokens that were sampled before the call was aborted.
      if (finish?.type === 'abort' && tokens.length > 0) take({ tokens, usage })
      take({ tokens, usage, ...(finish ? { end: endOf(finish) } : {}) })
    },
  }
}

/** With `--allow-auto-truncate`, SGLang drops the end of a prompt that is too long, which only its count reveals. */
function cut({ prompt }: HttpCall, kept: number): EngineError {
  const message = `SGLang read ${kept} of the ${prompt.length} tokens of the prompt: start it without --allow-auto-truncate.`
  return new EngineError('context_length_exceeded', message)
}

/**
 * The new ids of an event. The stream does not say whether it is cumulative, but the total count matches only one of
 * the two. Without a count, a list that begins with all earlier ids is taken as cumulative.
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

/** Aligns the lists at their ends, which works for cumulative and incremental streams. */
function withLogprobs(fresh: readonly number[], { meta_info }: Chunk, max: number): HarmonyToken[] {
  const { output_token_logprobs, output_top_logprobs, finish_reason } = meta_info
  // A stop token that is missing from the ids still has its log-probability.
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
    const topLogprobs = top.slice(0, max).map(([logprob, id]) => ({ id, logprob }))
    return { id, logprob: ownLogprob, topLogprobs }
  })
}

function isOf(value: unknown, id: unknown): boolean {
  return Array.isArray(value) && value[1] === id
}

function endOf(finish: Finish): NonNullable<EngineStep['end']> {
  const { type, matched } = finish
  if (type === 'length') return { reason: 'max_output_tokens' }
  if (type === 'stop') return { reason: 'stop', stopToken: typeof matched === 'number' ? matched : undefined }
  if (type === 'abort') throw failureOfAbort(finish)
  throw new EngineError('server_error', `SGLang ended the call: ${type}`)
}

/** Whether SGLang refused the call: it then has a status. A call that was aborted on request has none. */
function isRefusal({ type, status_code }: Finish): boolean {
  return type === 'abort' && (status_code ?? 0) >= 400
}

function failureOfAbort({ message, status_code }: Finish): EngineError {
  return failureOf({ message: message ?? 'SGLang aborted the call' }, { status: status_code ?? undefined })
}
