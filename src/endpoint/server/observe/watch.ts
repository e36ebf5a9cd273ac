import type { Metric } from './metric.js'
import type { SafeTracing } from './safe-tracing.js'

/** The shared state of observations. */
export interface Watch {
  readonly tracing: SafeTracing | undefined
  readonly now: () => number
  emit(metric: Metric): void
  /** Returns the name of a model that the server lists, else `other`: clients may name anything. */
  knownModel(name: string): string
  /** The responses that have begun and not ended. */
  readonly live: Set<LiveResponse>
  /** How many tokens were sampled, of all responses. */
  sampled: number
}

/** A response that has begun. */
export interface LiveResponse {
  /** Returns its figures now. */
  figures(): LiveFigures
}

/** The figures of a response that has begun. */
export interface LiveFigures {
  readonly responseId: string
  readonly owner: string
  /** The name of the model if the server lists it, else `other`. */
  readonly model: string
  /** Since its request was read. */
  readonly ageSeconds: number
  readonly tokens: number
  /** Since the first token; null before the second. */
  readonly tokensPerSecond: number | null
  /** The share of its input that was cached; null if unknown. */
  readonly cachedShare: number | null
}
