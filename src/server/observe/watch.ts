import type { Metric } from './metric.js'
import type { Tracing } from './tracing.js'

/** What observations share. */
export interface Watch {
  readonly tracing: Tracing | undefined
  readonly now: () => number
  emit(metric: Metric): void
  /** The name of a model that the server lists, else `other`: clients name what they like. */
  knownModel(name: string): string
}
