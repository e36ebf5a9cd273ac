/**
 * The engine Transformers.js, in a browser or in Node. docs/engines.md compares the engines.
 *
 * @packageDocumentation
 */

import type { StreamEnd, TokenChunk } from '../../core/tokens/token-source.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { having, that } from '../../shared/options/checks.js'
import { checkEnforces } from '../contract/check-constraint.js'
import { checkGenerate } from '../contract/check-generate.js'
import { EngineError } from '../contract/engine-error.js'
import { type GenerateOptions, STOP_TOKENS, type TokenEngine } from '../contract/index.js'
import { promptTooLong } from '../contract/prompt-too-long.js'
import { tokenStream } from '../contract/token-stream.js'
import { createTurns } from './pool.js'
import { createTokenQueue, type TokenQueue, type TransformersStreamer } from './transformers-js/token-queue.js'

export { STOP_TOKENS } from '../../core/harmony/stop-tokens.js'
export type * from '../contract/engine.js'
export { EngineError, type EngineErrorCode } from '../contract/engine-error.js'
export type { TransformersStreamer } from './transformers-js/token-queue.js'

/** Returns whether each sequence of the batch is done. Called after each token. */
export type TransformersStoppingCriterion = (sequences: bigint[][]) => boolean[]

/** The options that are passed to a model's `generate()`. */
export interface TransformersGeneration {
  /** The ids of the prompt: a tensor of one row. */
  readonly inputs: unknown
  /** Ones in the shape of `inputs`: a tensor. */
  readonly attention_mask: unknown
  /** The maximum number of generated tokens. */
  readonly max_new_tokens: number
  /** Whether tokens are sampled. Otherwise the most likely one is taken. */
  readonly do_sample: boolean
  /** The temperature of sampling. */
  readonly temperature: number
  /** Samples from this many of the most likely tokens; 0: from all. */
  readonly top_k: number
  /** The ids that end the generation. */
  readonly eos_token_id: number[]
  /** Receives the tokens. */
  readonly streamer: TransformersStreamer
  /** Asked after each token whether to stop. */
  readonly stopping_criteria: TransformersStoppingCriterion[]
}

/** The used part of a causal language model of Transformers.js. */
export interface TransformersModel {
  // A method, so that the package's own model is assignable although its options have wider types.
  /** Generates tokens until an end, and passes each to the streamer. */
  generate(options: TransformersGeneration): Promise<unknown>
  /** The model's configuration: `max_position_embeddings` is the length of its context, in tokens. */
  readonly config?: { readonly max_position_embeddings?: number }
}

/** The used part of the package's `Tensor`. */
export type TransformersTensor = new (type: 'int64', data: BigInt64Array, dims: number[]) => unknown

/** Options of {@link createTransformersJsEngine}. */
export interface TransformersJsEngineOptions {
  /** The result of `AutoModelForCausalLM.from_pretrained`. */
  readonly model: TransformersModel
  /** The `Tensor` of the same package. */
  readonly Tensor: TransformersTensor
  /** The limit of prompt and answer tokens together. Default: the model's own. */
  readonly contextSize?: number
}

const A_SIZE = 'a whole number of at least 1 (the model does not report one)'

const TRANSFORMERS_JS_OPTIONS: OptionTable<TransformersJsEngineOptions> = {
  model: having(['generate'], 'a causal language model of Transformers.js'),
  Tensor: that((value) => typeof value === 'function', "Transformers.js' class"),
  contextSize: that((value) => Number.isSafeInteger(value) && (value as number) > 0, A_SIZE),
}

/**
 * Runs a gpt-oss model with Transformers.js, in a browser or in Node.
 *
 * Calls on one model wait for each other, in the order of their first `next()`. Transformers.js has no backpressure: up
 * to `maxTokens` unread ids are buffered. A call that is closed still finishes its current step, and the next call
 * waits for that. No cache is kept between calls, so each evaluates its whole prompt.
 *
 * Supports `temperature` and `topK`. Other sampling is rejected: `topP` below 1, `minP` above 0, `seed`, `logprobs`; so is
 * a `constraint`.
 *
 * Written for and tested against the published source, not a running model: `generate` in modeling_utils.js, and
 * streamers.js, stopping_criteria.js and controller.js in packages/transformers/src of huggingface/transformers.js, as
 * of November 2026 (versions 3 and 4).
 *
 * @see https://huggingface.co/docs/transformers.js
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { createTransformersJsEngine, type TransformersJsEngineOptions } from 'harmony-responses/sources/transformers-js'
 *
 * // `AutoModelForCausalLM.from_pretrained('onnx-community/gpt-oss-20b-ONNX', { device: 'webgpu' })`, and `Tensor`
 * async function answer({ model, Tensor }: TransformersJsEngineOptions): Promise<void> {
 *   const engine = createTransformersJsEngine({ model, Tensor })
 *   for await (const event of translate(engine.generate(promptTokens, { maxTokens: 512 }), { request })) send([event])
 * }
 * ```
 */
export function createTransformersJsEngine(options: TransformersJsEngineOptions): TokenEngine {
  checkOptions('createTransformersJsEngine', options, TRANSFORMERS_JS_OPTIONS, ['model', 'Tensor'])
  const { model, Tensor, contextSize = model.config?.max_position_embeddings } = options
  check(contextSize !== undefined, 'contextSize', A_SIZE, contextSize)
  const turns = turnsOf(model)

  async function* run(
    prompt: readonly number[],
    options: GenerateOptions,
    signal: AbortSignal,
  ): AsyncGenerator<TokenChunk, StreamEnd> {
    const { sampling = {}, stop = STOP_TOKENS } = options
    const room = (contextSize as number) - prompt.length
    if (room < 1) throw promptTooLong(prompt.length, contextSize as number)
    const limit = Math.min(options.maxTokens ?? room, room)
    const { temperature = 1, topK = 0 } = sampling
    const queue = createTokenQueue()
    const generation: TransformersGeneration = {
      inputs: tensor(prompt.map(BigInt)),
      attention_mask: tensor(prompt.map(() => 1n)),
      max_new_tokens: limit,
      do_sample: temperature > 0,
      temperature: temperature > 0 ? temperature : 1,
      top_k: topK,
      eos_token_id: [...stop],
      streamer: queue.streamer,
      stopping_criteria: [(sequences) => sequences.map(() => signal.aborted)],
    }
    await turns.take(() => 0, signal)
    // Not awaited: the queue is read while the model generates.
    void generate(generation, queue)

    let last: number | undefined
    let count = 0
    for await (const id of queue.ids) {
      last = id
      count++
      yield id
      if (stop.includes(id)) break
    }
    const isStop = last !== undefined && stop.includes(last)
    return {
      reason: isStop || count < limit ? 'stop' : 'max_output_tokens',
      usage: { inputTokens: prompt.length, cachedTokens: 0 },
    }
  }

  /** Runs the model. The next call starts when the model is done, even if the stream is not read to its end. */
  async function generate(generation: TransformersGeneration, queue: TokenQueue): Promise<void> {
    const known = model as TransformersModel
    try {
      await known.generate(generation)
      queue.close()
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      queue.close(new EngineError('server_error', message, { cause }))
    } finally {
      turns.give(known)
    }
  }

  const tensor = (data: bigint[]): unknown =>
    new (Tensor as TransformersTensor)('int64', BigInt64Array.from(data), [1, data.length])

  return {
    generate(promptTokens, options = {}) {
      checkGenerate(promptTokens, options)
      checkPossible(options)
      checkEnforces('Transformers.js', {}, options.constraint)
      const prompt = Array.from(promptTokens)
      const copy = { ...options, ...(options.stop && { stop: [...options.stop] }) }
      return tokenStream((signal) => run(prompt, copy, signal), options.signal)
    },
    // The model is in this process, and later calls wait, so it is always healthy.
    async health() {},
    async capabilities() {
      return { contextLength: contextSize, hasSeed: false }
    },
  }
}

function checkPossible({ sampling: { topP = 1, minP = 0, seed } = {}, logprobs }: GenerateOptions): void {
  const says = (what: string): string => `${what} (Transformers.js supports nothing else)`
  check(topP === 1, 'sampling.topP', says('1'), topP)
  check(minP === 0, 'sampling.minP', says('0'), minP)
  check(seed === undefined, 'sampling.seed', says('none'), seed)
  check(logprobs === undefined, 'logprobs', says('none'), logprobs)
}

/** One call at a time per model, even with two engines, because its sessions cannot run concurrently. */
const turnsOf = /* @__PURE__ */ createTurns<TransformersModel>()
