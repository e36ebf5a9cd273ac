import { FIRST_SPECIAL, VOCABULARY_SIZE } from '../../../core/harmony/vocabulary.js'
import type { HarmonyToken, StreamEnd, TokenChunk } from '../../../core/tokens/token-source.js'
import { EngineError } from '../../contract/engine-error.js'
import { type GenerateOptions, STOP_TOKENS } from '../../contract/index.js'
import { promptTooLong } from '../../contract/prompt-too-long.js'
import { gbnfOf } from '../gbnf.js'
import { llamaError } from './llama-error.js'
import { importNodeLlamaCpp } from './load-llama.js'
import type { LlamaConstraint, LlamaGrammarModel, LlamaSequence, NodeLlamaCpp } from './node-llama-cpp.js'
import { sampledTokens } from './sampled-tokens.js'

/** Prompt tokens to evaluate between two checks of the signal: one native batch, which cannot be interrupted. */
const SLICE = 512

/**
 * Runs one model call on a sequence that nothing else uses meanwhile: keeps the part of the prompt that it already has,
 * evaluates the rest, then samples token after token.
 *
 * @param prompt - at least one token; fits, see {@link checkFits}
 * @param signal - ends the call without an error, after the current native step
 * @throws EngineError `invalid_prompt` for a grammar that llama.cpp cannot read, before it uses the sequence;
 *   `server_error` for any other failure of llama.cpp
 */
export async function* sequenceTokens(
  sequence: LlamaSequence,
  prompt: readonly number[],
  options: GenerateOptions,
  signal: AbortSignal,
): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
  const { maxTokens = Number.POSITIVE_INFINITY, constraint } = options
  // A complete text ends with an end of sequence, regardless of the call's stop ids.
  const stop = [...(options.stop ?? STOP_TOKENS), ...(constraint === undefined ? [] : STOP_TOKENS)]
  let sampled: AsyncGenerator<HarmonyToken, void> | undefined
  let usage = { inputTokens: prompt.length, cachedTokens: 0 }
  try {
    const held = constraint && (await constrain(sequence.model, gbnfOf(constraint)))
    if (signal.aborted) return
    const { cached, left } = await prefill(sequence, prompt, signal)
    usage = { inputTokens: prompt.length, cachedTokens: cached }
    options.onUsage?.(usage)
    if (signal.aborted) return
    sampled = sampledTokens(sequence, prompt.slice(left), options, OVERFLOW, held)
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

/**
 * Evaluates a prompt but for its last tokens, at most {@link SLICE} and at least one.
 *
 * @returns how many tokens the sequence had, and where those that are left begin
 */
async function prefill(
  sequence: LlamaSequence,
  prompt: readonly number[],
  signal: AbortSignal,
): Promise<{ readonly cached: number; readonly left: number }> {
  // Keep only the common prefix: by default llama.cpp would cut out a middle part and shift the rest, which is not the
  // same state. Omit the last token, because the next one is sampled by evaluating it.
  await sequence.adaptStateToTokens(prompt.slice(0, -1), false)
  // The tokens that are really cached: possibly none, if the sliding window's cells are gone.
  const cached = sequence.nextTokenIndex
  let left = cached
  for (; prompt.length - left > SLICE && !signal.aborted; left += SLICE) {
    await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(left, left + SLICE), OVERFLOW)
  }
  return { cached, left }
}

/** @throws EngineError `context_length_exceeded` if a prompt leaves no room for an answer */
export function checkFits(prompt: readonly number[], contextSize: number): void {
  if (prompt.length < contextSize) return
  throw promptTooLong(prompt.length, contextSize)
}

class ContextFull extends Error {}

/** Ends the call when the context is full. By default it would silently lose its beginning, the system message. */
const OVERFLOW = {
  contextShift: {
    strategy(): never {
      throw new ContextFull()
    },
  },
}

/**
 * Constrains llama.cpp to a grammar for one call; its state cannot be used for a second one. Special tokens that do not
 * end a sequence are banned: the grammar would take them for their spelling.
 *
 * @throws EngineError `invalid_prompt` if llama.cpp cannot read the grammar; `server_error` if node-llama-cpp is
 * missing
 */
async function constrain(model: LlamaGrammarModel, gbnf: string): Promise<LlamaConstraint> {
  const module = await importNodeLlamaCpp()
  let grammar: unknown
  try {
    grammar = await model.llama.createGrammar({ grammar: gbnf })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new EngineError('invalid_prompt', `llama.cpp cannot read the grammar: ${message}`, { cause })
  }
  const grammarEvaluationState = new module.LlamaGrammarEvaluationState({ model, grammar })
  return { grammarEvaluationState, tokenBias: biasOf(model, module) }
}

/** Cached by model, because it takes 10 ms to create. */
const biases = new WeakMap<LlamaGrammarModel, unknown>()

function biasOf(model: LlamaGrammarModel, { TokenBias }: NodeLlamaCpp): unknown {
  const known = biases.get(model)
  if (known !== undefined) return known
  const special = Array.from({ length: VOCABULARY_SIZE - FIRST_SPECIAL }, (_, index) => FIRST_SPECIAL + index)
  // This itself excludes the ends of sequence.
  const bias = TokenBias.for(model).set(special, 'never')
  biases.set(model, bias)
  return bias
}
