import type { HarmonyToken, ScoredToken } from '../../../core/tokens/token-source.js'
import { EngineError } from '../../contract/engine-error.js'
import type { GenerateOptions, Sampling } from '../../contract/index.js'
import type {
  LlamaConstraint,
  LlamaControlledOutput,
  LlamaEvaluateOptions,
  LlamaOverflow,
  LlamaSampling,
  LlamaSequence,
} from './node-llama-cpp.js'

/** Seeds are 32 bits wide; the highest of them asks llama.cpp for a random one. */
const SEEDS = 0xffff_ffff

/**
 * Evaluates tokens and then samples one token after the other, without end. Call `return()`: an abandoned iterator
 * leaks 2.3 MB of the native sampler.
 *
 * @param tokens - the last of the prompt, at least one, not in the sequence yet
 * @param constraint - with it there are no log-probabilities of alternatives: the call that gives them ignores grammars
 */
export function sampledTokens(
  sequence: LlamaSequence,
  tokens: number[],
  { sampling = {}, logprobs }: GenerateOptions,
  overflow: LlamaOverflow,
  constraint?: LlamaConstraint,
): AsyncGenerator<HarmonyToken, void> {
  const how = llamaSampling(sampling)
  const options = { ...how, ...overflow, ...constraint, yieldEogToken: true }
  if (logprobs === undefined) return sequence.evaluate(tokens, options)
  if (logprobs === 0 || constraint !== undefined) return scored(sequence, tokens, options)
  return ranked(sequence, tokens, how, overflow, logprobs)
}

/** Sets all options, because node-llama-cpp's defaults differ (temperature 0, topK 40, topP 0.95, the time as seed). */
function llamaSampling(sampling: Sampling): LlamaSampling & { readonly seed: number } {
  const { temperature = 1, topP = 1, topK = 0, minP = 0, seed = Math.floor(Math.random() * SEEDS) } = sampling
  return {
    temperature,
    topP,
    minP,
    // `undefined` means 40, and 0 sorts the whole vocabulary to keep all of it, 9 ms a token.
    // biome-ignore lint/plugin: null, which the type lacks, skips the step.
    topK: topK === 0 ? (null as unknown as number) : topK,
    seed: ((seed % SEEDS) + SEEDS) % SEEDS,
  }
}

/** Samples with the log-probability of each token. */
async function* scored(
  sequence: LlamaSequence,
  tokens: number[],
  options: LlamaEvaluateOptions,
): AsyncGenerator<ScoredToken, void> {
  for await (const { token, confidence } of sequence.evaluateWithMetadata(tokens, { confidence: true }, options)) {
    yield { id: token, logprob: Math.log(confidence) }
  }
}

/** Samples with the log-probabilities of each token and of `count` alternatives. */
async function* ranked(
  sequence: LlamaSequence,
  tokens: number[],
  how: LlamaSampling & { readonly seed: number },
  overflow: LlamaOverflow,
  count: number,
): AsyncGenerator<ScoredToken, void> {
  const logits = { filter: { tokens: [], includeTop: count, includeSelected: true } }
  let head = tokens.slice(0, -1)
  let last = tokens.at(-1) as number
  for (let step = 0; ; step++) {
    // Each call uses the first random number of its seed, so a constant seed would repeat it.
    const options = { ...how, seed: seedOfStep(how.seed, step) }
    const generateNext = { token: true, totalLogitWeight: true, logits, options }
    const outputs = await sequence.controlledEvaluate([...head, [last, { generateNext }]], overflow)
    const token = rankedToken(outputs.at(-1), count)
    yield token
    head = []
    last = token.id
  }
}

function rankedToken(output: LlamaControlledOutput | undefined, count: number): ScoredToken {
  const { token, logits, totalLogitWeight } = output?.next ?? {}
  const selected = token == null ? undefined : logits?.get(token)
  if (token == null || logits === undefined || selected === undefined || totalLogitWeight === undefined) {
    throw new EngineError('server_error', 'llama.cpp sampled no token.')
  }
  // The sampled token is included even if it is not one of the most likely.
  const likeliest = Array.from(logits, ([id, logit]) => ({ id, logit })).sort((a, b) => b.logit - a.logit)
  const total = (likeliest[0]?.logit ?? selected) + Math.log(totalLogitWeight)
  return {
    id: token,
    logprob: selected - total,
    topLogprobs: likeliest.slice(0, count).map(({ id, logit }) => ({ id, logprob: logit - total })),
  }
}

/** A seed for each step, mixed with Steele and Vigna's 32-bit finalizer, so that the samples are independent. */
function seedOfStep(seed: number, step: number): number {
  let mixed = (seed + Math.imul(step, 0x9e37_79b9)) >>> 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0_aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97)
  return ((mixed ^ (mixed >>> 15)) >>> 0) % SEEDS
}
