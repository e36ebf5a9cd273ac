import { HEAD_SIZE, WINDOW } from './layout.js'

/** The positional encoding of gpt-oss, YaRN, as the model's configuration has it. */
export const YARN = {
  rope_type: 'yarn',
  factor: 32,
  original_max_position_embeddings: 4096,
  beta_fast: 32,
  beta_slow: 1,
  truncate: false,
} as const

/** Engines multiply sines and cosines by it, and so scores by its square. */
export const SCALE: number = 0.1 * Math.log(YARN.factor) + 1

/** The frequencies of a head's pairs of channels, as transformers computes them. */
function frequenciesOf(base: number): number[] {
  const dimension = (rotations: number): number =>
    (HEAD_SIZE * Math.log(YARN.original_max_position_embeddings / (rotations * 2 * Math.PI))) / (2 * Math.log(base))
  const low = Math.max(dimension(YARN.beta_fast), 0)
  let high = Math.min(dimension(YARN.beta_slow), HEAD_SIZE - 1)
  if (low === high) high += 0.001
  return Array.from({ length: HEAD_SIZE / 2 }, (_, index) => {
    const frequency = base ** ((-2 * index) / HEAD_SIZE)
    const ramp = Math.min(1, Math.max(0, (index - low) / (high - low)))
    return (frequency / YARN.factor) * ramp + frequency * (1 - ramp)
  })
}

/** A base whose positions within the window are far from each other. */
export interface Rotation {
  readonly base: number
  readonly frequencies: readonly number[]
  /** By how much a score is lower at any other position in the window, for vectors of length 1 in each pair. */
  readonly gap: number
}

export function bestRotation(): Rotation {
  let best = { gap: -1, base: 0 }
  for (let base = 2; base < 2000; base *= 1.03) {
    const frequencies = frequenciesOf(base)
    let gap = Number.POSITIVE_INFINITY
    for (let distance = 1; distance < WINDOW; distance++) {
      gap = Math.min(
        gap,
        frequencies.reduce((sum, frequency) => sum + 1 - Math.cos(distance * frequency), 0),
      )
    }
    if (gap > best.gap) best = { gap, base: Math.round(base * 1000) / 1000 }
  }
  return { ...best, frequencies: frequenciesOf(best.base) }
}
