import { callSafely } from '../../../shared/call-safely.js'
import type { ByteRefusal } from '../../flow/byte-budget.js'
import type { OnMetric } from './metric.js'
import { observeRequest, type RequestAbout, type RequestObservation } from './observe-request.js'
import { type ResponseAbout, ResponseObservation } from './observe-response.js'
import { safeTracing } from './safe-tracing.js'
import type { Tracing } from './tracing.js'
import type { LiveFigures, Watch } from './watch.js'

/** Options of observers. */
export interface ObserverOptions {
  /** Receives events: counts and times, without content. */
  readonly onMetric?: OnMetric
  /** The destination of spans, such as `openTelemetry(api)`. */
  readonly tracing?: Tracing
  /** Returns milliseconds by a monotonic clock. Default: `performance.now`. */
  readonly now?: () => number
}

export interface Observer {
  request(about: RequestAbout): RequestObservation
  response(about: ResponseAbout): ResponseObservation
  load(load: { readonly running: number; readonly waiting: number }): void
  memoryRefused(refusal: ByteRefusal): void
  /** The responses that have begun and not ended, oldest first. */
  running(): readonly LiveFigures[]
  /** How many tokens were sampled since the start. */
  readonly sampled: number
  takenOver(taken: { readonly responseId: string; readonly continues: boolean; readonly reason?: string }): void
}

/**
 * @returns undefined without `onMetric` and tracing
 */
export function createObserver(
  { onMetric, tracing, now = () => performance.now() }: ObserverOptions,
  models: readonly string[],
  report: (error: unknown) => void,
): Observer | undefined {
  if (onMetric === undefined && tracing === undefined) return undefined
  const watch: Watch = {
    tracing: tracing && safeTracing(tracing, report),
    now,
    emit: (metric) => callSafely(onMetric, metric, report),
    knownModel: (name) => (models.includes(name) ? name : 'other'),
    live: new Set(),
    sampled: 0,
  }
  return {
    request: (about) => observeRequest(about, watch),
    response: (about) => new ResponseObservation(about, watch),
    running: () => Array.from(watch.live, (response) => response.figures()),
    get sampled() {
      return watch.sampled
    },
    load: ({ running, waiting }) => watch.emit({ type: 'load_changed', running, waiting }),
    takenOver: ({ responseId, continues, reason = null }) =>
      watch.emit({ type: 'response_taken_over', responseId, continues, reason }),
    memoryRefused: ({ purpose, bytes, taken, use: { used: usedBytes, total: totalBytes } }) =>
      watch.emit({ type: 'memory_refused', purpose, bytes, isPermanent: taken === 'too_large', usedBytes, totalBytes }),
  }
}
