import type { Diagnostic } from '../core/diagnostics/diagnostic.js'
import { type TraceRecords, traceRecords } from '../core/trace/trace-records.js'
import type { Moment } from './timeline-layout.js'

/** What the steps of a translator did, for a timeline. */
export interface MomentLog {
  /** Options of the translator. */
  readonly options: TraceRecords
  /** The number of events so far. */
  readonly eventCount: number
  readonly diagnostics: readonly Diagnostic[]
  /**
   * Runs a step of the translator.
   *
   * @param cause - what it is if it is not a token
   * @returns a moment for each token and, before them, one for what has happened without any
   */
  observe(cause: string, step: () => void): Moment[]
}

export function createMomentLog(): MomentLog {
  const diagnostics: Diagnostic[] = []
  let eventCount = 0
  let word = ''
  let moments: Moment[] = []

  function current(): Moment {
    const last = moments.at(-1)
    if (last !== undefined) return last
    const first: Moment = { cause: word, harmony: [], news: [] }
    moments.push(first)
    return first
  }

  const options = traceRecords((record) => {
    if (record.type === 'token') moments.push({ cause: record, harmony: [], news: [] })
    else if (record.type === 'harmony') current().harmony.push(record.event)
    else if (record.type === 'event') {
      eventCount++
      current().news.push(record)
    } else if (record.type === 'diagnostic') {
      diagnostics.push(record)
      current().news.push(record)
    }
  })
  return {
    options,
    get eventCount() {
      return eventCount
    },
    diagnostics,
    observe(cause, step) {
      word = cause
      moments = []
      step()
      return moments
    },
  }
}
