import { CODE_BITS, type Layout } from './layout.js'

/** Channels of a query, a key and a value: enough for a code, and an even number for the rotations. */
export const HEAD_SIZE = 32
const PAIRS = HEAD_SIZE / 2
/** How far back the sliding-window layers see, as in gpt-oss. */
export const WINDOW = 128
/**
 * The base of the rotary frequencies. Small, so that all of them turn fast: then no two distances within the window
 * look alike to a head.
 */
export const ROPE_BASE = 4
/** How far the score of the wanted position lies above all others: exp(-80) is nothing. */
const MARGIN = 80
/** The epsilon of the normalization. */
export const NORM_EPSILON = 1e-5

/** The weights of an attention layer, as row-major matrices. */
export interface AttentionWeights {
  readonly queryBias: Float32Array
  readonly keyBias: Float32Array
  /** HEAD_SIZE rows of all channels. */
  readonly value: Float32Array
  /** A row per channel, of all heads' values. */
  readonly output: Float32Array
  readonly sinks: Float32Array
}

/** The number of heads that look back: one for each token before the current one. */
export function headCount(layout: Layout): number {
  return layout.history - 1
}

/** A layer that adds nothing to the residual stream. */
export function silentAttention(layout: Layout): AttentionWeights {
  const heads = headCount(layout)
  return {
    queryBias: new Float32Array(heads * HEAD_SIZE),
    keyBias: new Float32Array(HEAD_SIZE),
    value: new Float32Array(HEAD_SIZE * layout.channels),
    output: new Float32Array(layout.channels * heads * HEAD_SIZE),
    sinks: new Float32Array(heads),
  }
}

/**
 * A layer whose head `h` copies the code of the token `h + 1` positions back into that token's channels.
 *
 * Queries and keys are biases only, the same at every position, so a score depends on nothing but the rotations: with
 * the query turned back by `d` positions, a key at distance `k` scores the sum of cos((k - d) * frequency), which is
 * largest at `k = d`. The attention sink lies halfway between that peak and the runner-up: it takes everything where
 * the position would be before the first token, and the head adds zeros.
 */
export function lookBackAttention(layout: Layout): AttentionWeights {
  const weights = silentAttention(layout)
  const heads = headCount(layout)
  const strength = (MARGIN * Math.sqrt(HEAD_SIZE)) / peakOverRunnerUp()
  const amplitude = Math.sqrt(strength)
  const peak = (strength * PAIRS) / Math.sqrt(HEAD_SIZE)

  weights.keyBias.fill(amplitude, 0, PAIRS)
  for (let head = 0; head < heads; head++) {
    const distance = head + 1
    for (const [pair, frequency] of frequencies.entries()) {
      // The two halves of a query are the two coordinates of its pairs.
      weights.queryBias[head * HEAD_SIZE + pair] = amplitude * Math.cos(distance * frequency)
      weights.queryBias[head * HEAD_SIZE + PAIRS + pair] = -amplitude * Math.sin(distance * frequency)
    }
    weights.sinks[head] = peak - MARGIN / 2
    for (let bit = 0; bit < CODE_BITS; bit++) {
      const channel = layout.codeAt(distance) + bit
      weights.output[channel * heads * HEAD_SIZE + head * HEAD_SIZE + bit] = 1
    }
  }
  for (let bit = 0; bit < CODE_BITS; bit++) {
    weights.value[bit * layout.channels + layout.codeAt(0) + bit] = embeddingScale(layout)
  }
  return weights
}

/** The divisor of the normalization: all embeddings have a code and the 1, so it is the same for every token. */
function embeddingScale(layout: Layout): number {
  return Math.sqrt((CODE_BITS + 1) / layout.channels + NORM_EPSILON)
}

const frequencies: readonly number[] = Array.from(
  { length: PAIRS },
  (_, pair) => ROPE_BASE ** ((-2 * pair) / HEAD_SIZE),
)

/** How much lower the score is, for keys and queries of length 1 per pair, at the most similar other distance. */
function peakOverRunnerUp(): number {
  let smallest = Number.POSITIVE_INFINITY
  for (let off = 1; off < WINDOW; off++) {
    const lost = frequencies.reduce((sum, frequency) => sum + 1 - Math.cos(off * frequency), 0)
    smallest = Math.min(smallest, lost)
  }
  return smallest
}
