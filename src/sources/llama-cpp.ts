import { checkGenerate } from '../engine/check-generate.js'
import type { GenerateOptions, TokenStream } from '../engine/index.js'
import { tokenStream } from '../engine/token-stream.js'
import { check } from '../errors.js'
import type { LlamaSequence } from './llama-cpp/node-llama-cpp.js'
import { checkFits, sequenceTokens } from './llama-cpp/sequence-tokens.js'
import { createPool, type Pool } from './pool.js'

export { EngineError, type EngineErrorCode } from '../engine/engine-error.js'
export {
  type GenerateOptions,
  type Sampling,
  STOP_TOKENS,
  type TokenEngine,
  type TokenStream,
} from '../engine/index.js'
export { createLlamaCppEngine, type LlamaCppEngine, type LlamaCppEngineOptions } from './llama-cpp/engine.js'
export type { Llama, LlamaSequence } from './llama-cpp/node-llama-cpp.js'

/**
 * One call of a gpt-oss model that node-llama-cpp runs, over a sequence that you bring:
 *
 *     const context = await model.createContext({ swaFullCache: true })
 *     const sequence = context.getSequence()
 *     translate(llamaCppSource(sequence, promptTokens, { maxTokens: 512 }), { request })
 *
 * What the sequence holds from earlier calls is used again as far as the prompt begins with it, and reported as
 * `cachedTokens`. gpt-oss keeps only the last tokens in half of its layers, so that this works across turns only with
 * `swaFullCache`; without it nothing is wrong, only evaluated again.
 *
 * Calls on one sequence wait for each other, in the order in which they are first read. So read each to its end or
 * return it: one that is left lying halfway blocks its sequence. The sequence stays yours to dispose; after a
 * `server_error` do so, as llama.cpp does not always take more tokens then.
 *
 * Log-probabilities are the model's own where `temperature` is 0, or where it is 1 and neither `topK`, `topP` nor
 * `minP` is set. Otherwise they are what was drawn from: of the scores divided by the temperature, over the tokens that
 * the limits left. They cost some 8 ms a token, as the vocabulary is sorted.
 *
 * A seed repeats a call only with the same `logprobs` beside it, and while nothing else runs in the context.
 *
 * @param promptTokens - the whole rendered prompt, `<|start|>assistant` at its end. Do not tokenize it with the model:
 *   its `tokenize` takes markers in a user's text for real ones, whatever it is asked
 * @returns the tokens, each as one chunk; ends with `usage.inputTokens` and `usage.cachedTokens`
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 * @throws EngineError from `next()`: `context_length_exceeded` before anything is evaluated; `server_error` in
 *   llama.cpp's words
 */
export function llamaCppSource(
  sequence: LlamaSequence,
  promptTokens: readonly number[] | Uint32Array,
  options: GenerateOptions = {},
): TokenStream {
  const { evaluate } = Object(sequence) as Partial<LlamaSequence>
  check(typeof evaluate === 'function', 'sequence', 'a LlamaContextSequence of node-llama-cpp', sequence)
  checkGenerate(promptTokens, options)
  // Copied, as the call begins later and its arguments are the caller's.
  const prompt = Array.from(promptTokens)
  const settled = { ...options }
  return tokenStream(async function* (signal) {
    checkFits(prompt, sequence.contextSize)
    const turns = turnsOf(sequence)
    await turns.take(() => 0, signal)
    try {
      return yield* sequenceTokens(sequence, prompt, settled, signal)
    } finally {
      turns.give(sequence)
    }
  }, options.signal)
}

/** One evaluation at a time: llama.cpp lets two interleave, and spoils both. */
const turnsBySequence = new WeakMap<LlamaSequence, Pool<LlamaSequence>>()

function turnsOf(sequence: LlamaSequence): Pool<LlamaSequence> {
  const known = turnsBySequence.get(sequence)
  if (known) return known
  const turns = createPool([sequence])
  turnsBySequence.set(sequence, turns)
  return turns
}
