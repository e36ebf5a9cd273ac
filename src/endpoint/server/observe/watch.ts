import type { Metric } from './metric.js'
import type { SafeTracing } from './safe-tracing.js'

/** The shared state of observations. */
export interface Watch {
  readonly tracing: SafeTracing | undefined
  readonly now: () => number
  emit(metric: Metric): void
  /** Returns the name of a model that the server lists, else `other`: clients may name anything. */
  knownModel(name: string): string
}
