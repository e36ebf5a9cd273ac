/** The W3C trace context of a request or a span. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

/** Values of a span's attributes. */
export type Attributes = Readonly<Record<string, string | number | readonly string[]>>

/** Options of a span. */
export interface SpanOptions {
  /** `server` answers requests, `client` sends them. */
  readonly kind: 'server' | 'client' | 'internal'
  /** Default: the span is the first of a trace. */
  readonly parent?: Span | TraceContext
  readonly attributes?: Attributes
}

/** A piece of work with a beginning and an end. */
export interface Span {
  /**
   * The context that engines receive, so that their spans are children of this one. Undefined if it is not recorded.
   */
  readonly trace: TraceContext | undefined
  set(attributes: Attributes): void
  rename(name: string): void
  /** Marks it as failed, with the kind of the error: a word, not a message. */
  fail(type: string): void
  end(): void
  /** Runs work whose own spans are children of this one. */
  run<Result>(work: () => Result): Result
}

/** The destination of spans: `openTelemetry(api)` creates one. */
export interface Tracing {
  start(name: string, options: SpanOptions): Span
}
