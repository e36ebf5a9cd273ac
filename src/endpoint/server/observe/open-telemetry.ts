import { check } from '../../../shared/errors.js'
import type { Attributes, Span, SpanOptions, TraceContext, Tracing } from './tracing.js'

/** The parts of `@opentelemetry/api` that are used. */
export interface OpenTelemetryApi {
  readonly ROOT_CONTEXT: unknown
  readonly trace: {
    getTracer(name: string): { startSpan(name: string, options: object, context: never): OpenTelemetrySpan }
    setSpan(context: never, span: never): unknown
    setSpanContext(context: never, spanContext: never): unknown
  }
  readonly context: { with(context: never, work: () => unknown): unknown }
  createTraceState(text: string): unknown
}

/** The part of an OpenTelemetry span that is used here. */
export interface OpenTelemetrySpan {
  spanContext(): {
    readonly traceId: string
    readonly spanId: string
    readonly traceFlags: number
    readonly traceState?: { serialize(): string }
  }
  setAttributes(attributes: never): unknown
  updateName(name: string): unknown
  setStatus(status: { code: number }): unknown
  end(): void
}

/** Passes the API its own contexts and spans. */
// biome-ignore lint/plugin: The API is an optional peer, whose types are not known here.
const opaque = (own: unknown): never => own as never

// The numbers of the API's `SpanKind` and `SpanStatusCode`.
const KINDS = { internal: 0, server: 1, client: 2 } as const
const ERROR = 2

/**
 * Traces requests with OpenTelemetry: a span for each request, and a child for each call of the model and of a tool,
 * with the attributes of its conventions for HTTP and for generative AI, and without content. The parent is the
 * request's own `traceparent`. Nothing is recorded until an SDK is started.
 *
 * @example
 * ```ts
 * import * as api from '@opentelemetry/api'
 * import { loadTokenTable } from 'harmony-responses'
 * import { createResponsesApp, openTelemetry } from 'harmony-responses/server'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const app = createResponsesApp({
 *   engine: scriptedEngine(() => answer('Hi!')),
 *   tokenTable: await loadTokenTable(),
 *   tracing: openTelemetry(api),
 * })
 * ```
 */
export function openTelemetry(api: OpenTelemetryApi): Tracing {
  check(
    Object(Object(api).trace).getTracer !== undefined,
    'openTelemetry',
    "the API: import * as api from '@opentelemetry/api'",
    api,
  )
  const tracer = api.trace.getTracer('harmony-responses')
  const contexts = new WeakMap<Span, unknown>()

  function contextOf(parent: SpanOptions['parent']): unknown {
    if (parent === undefined) return api.ROOT_CONTEXT
    if ('run' in parent) return contexts.get(parent) ?? api.ROOT_CONTEXT
    const [, traceId, spanId, flags = '00'] = parent.traceparent.split('-')
    const { tracestate } = parent
    const remote = {
      ...{ traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true },
      ...(tracestate !== undefined && { traceState: api.createTraceState(tracestate) }),
    }
    return api.trace.setSpanContext(opaque(api.ROOT_CONTEXT), opaque(remote))
  }

  return {
    start(name, { kind, parent, attributes = {} }) {
      const above = contextOf(parent)
      const inner = tracer.startSpan(name, { kind: KINDS[kind], attributes }, opaque(above))
      const own = api.trace.setSpan(opaque(above), opaque(inner))
      const span: Span = {
        trace: traceOf(inner),
        // biome-ignore lint/plugin: The values of `Attributes` are those of OpenTelemetry's.
        set: (more: Attributes) => void inner.setAttributes(more as never),
        rename: (other) => void inner.updateName(other),
        fail(type) {
          // biome-ignore lint/plugin: The values of `Attributes` are those of OpenTelemetry's.
          inner.setAttributes({ 'error.type': type } as never)
          inner.setStatus({ code: ERROR })
        },
        end: () => inner.end(),
        run: <Result>(work: () => Result) => api.context.with(opaque(own), work) as Result,
      }
      contexts.set(span, own)
      return span
    },
  }
}

function traceOf(span: OpenTelemetrySpan): TraceContext | undefined {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  // Without an SDK the ids are zeros.
  if (/^0*$/.test(traceId)) return undefined
  const tracestate = traceState?.serialize()
  const flags = traceFlags.toString(16).padStart(2, '0')
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(tracestate ? { tracestate } : {}) }
}
