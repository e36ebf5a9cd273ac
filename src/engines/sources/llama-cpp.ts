/**
 * The engine llama.cpp in this process, by node-llama-cpp. docs/engines.md compares the engines.
 *
 * @packageDocumentation
 */

import { check } from '../../shared/errors.js'
import type { GenerateOptions, TokenStream } from '../contract/index.js'
import { tokenStream } from '../contract/token-stream.js'
import { checkedCall } from './llama-cpp/checked-call.js'
import type { LlamaSequence } from './llama-cpp/node-llama-cpp.js'
import { checkFits, sequenceTokens } from './llama-cpp/sequence-tokens.js'
import { createTurns } from './pool.js'

export { STOP_TOKENS } from '../../core/harmony/stop-tokens.js'
export type * from '../contract/engine.js'
export { EngineError, type EngineErrorCode } from '../contract/engine-error.js'
export { createLlamaCppEngine, type LlamaCppEngine, type LlamaCppEngineOptions } from './llama-cpp/engine.js'
export type {
  Llama,
  LlamaConstraint,
  LlamaContext,
  LlamaControlledInput,
  LlamaControlledOutput,
  LlamaEvaluateOptions,
  LlamaGrammarModel,
  LlamaModel,
  LlamaOverflow,
  LlamaSampling,
  LlamaSequence,
} from './llama-cpp/node-llama-cpp.js'

/**
 * One call of a gpt-oss model with node-llama-cpp, on a sequence that you provide.
 *
 * The longest common prefix of the prompt and the sequence's tokens is reused and reported as `cachedTokens`. Half of
 * gpt-oss's layers keep only the last tokens, so reuse across turns needs `swaFullCache`; without it the result is the
 * same, but everything is evaluated again.
 *
 * Calls on one sequence wait for each other, in the order of their first `next()`. Read each stream to its end or call
 * `return()`: one that is abandoned halfway blocks its sequence. You dispose the sequence; do so after a
 * `server_error`, because llama.cpp may not accept more tokens then.
 *
 * Log-probabilities are the model's own if `temperature` is 0, or if it is 1 and neither `topK`, `topP` nor `minP` is
 * set. Otherwise they describe the distribution that was sampled: after temperature and limits. They cost some 8 ms a
 * token, because the vocabulary is sorted.
 *
 * A `constraint` is a JSON Schema, a regular expression or GBNF. A token costs hardly more while the model's own is
 * allowed, and 50 to 100 ms where llama.cpp has to look for another one. Log-probabilities beside a constraint are those
 * among the allowed tokens, without alternatives; llama.cpp then checks all tokens at every step.
 *
 * A seed repeats a call only with the same `logprobs`, and while nothing else runs in the context.
 *
 * @param promptTokens - the complete rendered prompt, ending with `<|start|>assistant`. Do not tokenize it with the
 *   model: its `tokenize` turns markers in a user's text into special tokens, whatever its options are
 * @returns the tokens, each as one chunk; ends with `usage.inputTokens` and `usage.cachedTokens`
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 * @throws EngineError from `next()`: `context_length_exceeded`, or `invalid_prompt` for GBNF that llama.cpp cannot read,
 *   before anything is evaluated; `server_error` with llama.cpp's message
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { type LlamaSequence, llamaCppSource } from 'harmony-responses/sources/llama-cpp'
 *
 * // (await model.createContext({ swaFullCache: true })).getSequence()
 * async function answer(sequence: LlamaSequence): Promise<void> {
 *   const generated = llamaCppSource(sequence, promptTokens, { maxTokens: 512 })
 *   for await (const event of translate(generated, { request })) send([event])
 * }
 * ```
 */
export function llamaCppSource(
  sequence: LlamaSequence,
  promptTokens: readonly number[] | Uint32Array,
  options: GenerateOptions = {},
): TokenStream {
  const { evaluate } = Object(sequence) as Partial<LlamaSequence>
  check(typeof evaluate === 'function', 'sequence', 'a LlamaContextSequence of node-llama-cpp', sequence)
  const { prompt, options: checked } = checkedCall(promptTokens, options)
  return tokenStream(async function* (signal) {
    checkFits(prompt, sequence.contextSize)
    const turns = turnsOf(sequence)
    await turns.take(() => 0, signal)
    try {
      return yield* sequenceTokens(sequence, prompt, checked, signal)
    } finally {
      turns.give(sequence)
    }
  }, options.signal)
}

/** One evaluation at a time: llama.cpp would interleave two and corrupt both. */
const turnsOf = /* @__PURE__ */ createTurns<LlamaSequence>()
