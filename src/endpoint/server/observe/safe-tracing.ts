import type { Span, SpanOptions, Tracing } from './tracing.js'

/** Tracing whose spans end nothing by an error. Without a span, the work is not traced. */
export interface SafeTracing {
  start(name: string, options: SpanOptions): Span | undefined
}

/**
 * Wraps the host's tracing so that its errors are only reported: an exporter may throw, and a span often ends where
 * nobody could take an error, such as when a client leaves, which would end the process.
 */
export function safeTracing(tracing: Tracing, report: (error: unknown) => void): SafeTracing {
  /** The host's spans by ours: the host knows only its own as parents. */
  const theirs = new WeakMap<Span, Span>()

  function safely<Result>(work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      report(error)
      return undefined
    }
  }

  function safeSpan(span: Span): Span {
    const safe: Span = {
      trace: span.trace,
      set: (attributes) => safely(() => span.set(attributes)),
      rename: (name) => safely(() => span.rename(name)),
      fail: (type) => safely(() => span.fail(type)),
      end: () => safely(() => span.end()),
      // An error of the work is its caller's.
      run: (work) => span.run(work),
    }
    theirs.set(safe, span)
    return safe
  }

  return {
    start(name, { parent, ...options }) {
      const known = parent && 'run' in parent ? theirs.get(parent) : parent
      return safely(() => safeSpan(tracing.start(name, { ...options, ...(known && { parent: known }) })))
    },
  }
}
