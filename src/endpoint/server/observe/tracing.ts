/** The W3C trace context of a request or a span. */
export interface TraceContext {
  /** The ids of the trace and the span, as the W3C writes them. */
  readonly traceparent: string
  /** Values of tracing systems. None if absent. */
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
  /** The attributes at its start. Default: none. */
  readonly attributes?: Attributes
}

/** A piece of work with a beginning and an end. */
export interface Span {
  /**
   * The context that engines receive, so that their spans are children of this one. Undefined if it is not recorded.
   */
  readonly trace: TraceContext | undefined
  /** Sets attributes. Later values replace earlier ones. */
  set(attributes: Attributes): void
  /** Gives it another name. */
  rename(name: string): void
  /** Marks it as failed, with the kind of the error: a word, not a message. */
  fail(type: string): void
  /** Ends it. Called once. */
  end(): void
  /** Runs work whose own spans are children of this one. */
  run<Result>(work: () => Result): Result
}

/** The destination of spans: `openTelemetry(api)` creates one. */
export interface Tracing {
  /** Starts a span now. */
  start(name: string, options: SpanOptions): Span
}
