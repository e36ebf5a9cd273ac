import { EngineError } from '../../engine/engine-error.js'
import { type GenerateOptions, STOP_TOKENS } from '../../engine/index.js'
import type { HarmonyToken, StreamEnd, TokenChunk } from '../../tokens/token-source.js'
import type { LlamaSequence } from './node-llama-cpp.js'
import { sampledTokens } from './sampled-tokens.js'

/** Tokens of a prompt that are evaluated between two looks at the signal: one native batch, which nothing can stop. */
const SLICE = 512

/**
 * One model call on a sequence that nobody else is using meanwhile: what it already holds of the prompt is kept, the
 * rest evaluated, then token after token is drawn.
 *
 * @param prompt - at least one token; fits, see {@link checkFits}
 * @param signal - stops the call, without a word, after the native step under way
 * @throws EngineError `server_error` for whatever llama.cpp fails at
 */
export async function* sequenceTokens(
  sequence: LlamaSequence,
  prompt: readonly number[],
  options: GenerateOptions,
  signal: AbortSignal,
): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
  const { maxTokens = Number.POSITIVE_INFINITY, stop = STOP_TOKENS } = options
  let sampled: AsyncGenerator<HarmonyToken, void> | undefined
  let usage = { inputTokens: prompt.length, cachedTokens: 0 }
  try {
    // The prefix alone: by default llama.cpp would cut out middles and shift what comes after, which is not the same
    // state. The last token is left out, as only evaluating one gives the next.
    await sequence.adaptStateToTokens(prompt.slice(0, -1), false)
    // What is really there; it may be nothing, where the sliding window's cells are gone.
    const cachedTokens = sequence.nextTokenIndex
    usage = { inputTokens: prompt.length, cachedTokens }
    let from = cachedTokens
    for (; prompt.length - from > SLICE; from += SLICE) {
      if (signal.aborted) return
      await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(from, from + SLICE), OVERFLOW)
    }
    if (signal.aborted) return
    sampled = sampledTokens(sequence, prompt.slice(from), options, OVERFLOW)
    for (let count = 1; ; count++) {
      const step = await sampled.next()
      if (signal.aborted) return
      if (step.done) throw new EngineError('server_error', 'llama.cpp stopped before the end of the turn.')
      yield step.value
      if (signal.aborted) return
      if (stop.includes(typeof step.value === 'number' ? step.value : step.value.id)) return { reason: 'stop', usage }
      if (count >= maxTokens) return { reason: 'max_output_tokens', usage }
    }
  } catch (error) {
    if (error instanceof ContextFull) return { reason: 'max_output_tokens', usage }
    throw llamaError(error)
  } finally {
    await sampled?.return()
  }
}

/** @throws EngineError `context_length_exceeded` where a prompt leaves no room for a single token of an answer. */
export function checkFits(prompt: readonly number[], contextSize: number): void {
  if (prompt.length < contextSize) return
  const message =
    `This model's maximum context length is ${contextSize} tokens. However, your prompt has ${prompt.length} tokens, ` +
    'and an answer needs at least one more. Please shorten the prompt.'
  throw new EngineError('context_length_exceeded', message)
}

/** A failure of llama.cpp, in its own words. */
export function llamaError(error: unknown, what = 'llama.cpp failed'): EngineError {
  if (error instanceof EngineError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new EngineError('server_error', `${what}: ${message}`, { cause: error })
}

class ContextFull extends Error {}

/** By default a full context silently loses its beginning, and with it the system message. */
const OVERFLOW = {
  contextShift: {
    strategy(): never {
      throw new ContextFull()
    },
  },
}
