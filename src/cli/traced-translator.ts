import type { Diagnostic } from '../core/diagnostics/diagnostic.js'
import { traceTo } from '../core/trace/tracer.js'
import { Translator, type TranslatorOptions } from '../index.js'
import type { Moment } from './timeline-layout.js'

/** A translator that reports the effects of each step, for a timeline. */
export interface TracedTranslator {
  readonly translator: Translator
  /** The number of events so far. */
  readonly eventCount: number
  readonly diagnostics: readonly Diagnostic[]
  /**
   * Runs a step of the translator.
   *
   * @param cause - its name if it is not a token
   */
  observe(cause: string, step: () => void): Moment
}

export function traceTranslator(options: TranslatorOptions): TracedTranslator {
  const diagnostics: Diagnostic[] = []
  let eventCount = 0
  let moment: Moment

  const translator = new Translator({
    ...options,
    trace: traceTo((trace) => {
      if (trace.type === 'token') moment.cause = trace
      else if (trace.type === 'harmony') moment.harmony.push(trace.event)
      else {
        moment.news.push(trace)
        eventCount++
      }
    }),
    onDiagnostic(diagnostic) {
      moment.news.push(diagnostic)
      diagnostics.push(diagnostic)
    },
  })
  return {
    translator,
    get eventCount() {
      return eventCount
    },
    diagnostics,
    observe(cause, step) {
      moment = { cause, harmony: [], news: [] }
      step()
      return moment
    },
  }
}
