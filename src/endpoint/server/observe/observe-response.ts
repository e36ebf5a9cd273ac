import type { Diagnostic } from '../../../core/diagnostics/diagnostic.js'
import type { ResponseUsage } from '../../../core/responses/response.js'
import type { HostUsage } from '../../../core/tokens/token-source.js'
import type { HostedCall } from '../../tools/tool.js'
import type { ResponseEnded } from './metric.js'
import type { RequestObservation } from './observe-request.js'
import type { Attributes, Span, TraceContext } from './tracing.js'
import type { LiveFigures, LiveResponse, Watch } from './watch.js'

export interface ResponseAbout {
  readonly responseId: string
  readonly owner: string
  /** The model in the request. */
  readonly model: string
  /** The HTTP request that it answers; undefined on a socket. */
  readonly request: RequestObservation | undefined
  /** The trace context of the request, if that is not observed. */
  readonly trace: TraceContext | undefined
}

/** How a response ended. */
export interface ResponseEnding {
  readonly status?: string | null
  readonly usage?: ResponseUsage | null
  readonly error?: { readonly code: string } | null
}

export interface ModelCallObservation {
  readonly span: Span | undefined
  sampled(count: number): void
  /** The engine has counted the prompt, and how much of it was cached. */
  counted(usage: HostUsage): void
  ended(isFailed: boolean): void
}

export interface ToolCallObservation {
  readonly span: Span | undefined
  ended(isFailed: boolean): void
}

/** A response, from the reading of its request on. */
export class ResponseObservation implements LiveResponse {
  readonly #about: ResponseAbout
  readonly #watch: Watch
  readonly #model: string
  readonly #start: number
  readonly #span: Span | undefined
  readonly #release: () => void
  #state: 'new' | 'started' | 'ended' = 'new'
  #tokens = 0
  /** When its first token came; undefined before. */
  #firstAt: number | undefined
  /** The input tokens of calls whose cached part is known, and that part. */
  #input = 0
  #cached = 0
  #unhostedTools: readonly string[] = []

  constructor(about: ResponseAbout, watch: Watch) {
    const { span, release } = spanOf(about, watch)
    this.#about = about
    this.#watch = watch
    this.#model = watch.knownModel(about.model)
    this.#start = watch.now()
    this.#span = span
    this.#release = release
    span?.set({ 'gen_ai.provider.name': 'harmony-responses', 'gen_ai.request.model': this.#model })
  }

  /** Its request was accepted, and has waited for its turn. A property, since it is passed on alone. */
  readonly started = (): void => {
    this.#state = 'started'
    this.#span?.set({ 'gen_ai.response.id': this.#about.responseId })
    const seconds = this.#secondsSince(this.#start)
    this.#watch.live.add(this)
    this.#watch.emit({ type: 'response_started', ...this.#ofResponse, seconds })
  }

  figures(): LiveFigures {
    const { responseId, owner } = this.#about
    const since = this.#firstAt === undefined ? 0 : this.#secondsSince(this.#firstAt)
    return {
      ...{ responseId, owner, model: this.#model, ageSeconds: this.#secondsSince(this.#start), tokens: this.#tokens },
      tokensPerSecond: since > 0 && this.#tokens > 1 ? (this.#tokens - 1) / since : null,
      cachedShare: this.#input === 0 ? null : Math.min(this.#cached / this.#input, 1),
    }
  }

  /** @param promptTokens - the size of the prompt */
  modelCalled(promptTokens: number): ModelCallObservation {
    const { now, emit } = this.#watch
    const { responseId } = this.#about
    const model = this.#model
    const began = now()
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model }
    const span = this.#child(`chat ${model}`, 'client', attributes)
    let tokens = 0
    let isCounted = false
    return {
      span,
      sampled: (count) => {
        tokens += count
        this.#tokens += count
        this.#watch.sampled += count
        if (this.#firstAt !== undefined) return
        this.#firstAt = now()
        emit({ type: 'first_token', responseId, model, seconds: (this.#firstAt - this.#start) / 1000 })
      },
      counted: ({ inputTokens = promptTokens, cachedTokens }) => {
        if (cachedTokens === undefined || isCounted) return
        isCounted = true
        this.#input += inputTokens
        this.#cached += cachedTokens
      },
      ended: (isFailed) => {
        emit({ type: 'model_called', responseId, model, seconds: this.#secondsSince(began), tokens, isFailed })
        span?.set({ 'gen_ai.usage.output_tokens': tokens })
        endSpan(span, isFailed)
      },
    }
  }

  toolCalled({ type: tool, ...item }: HostedCall): ToolCallObservation {
    const { now, emit } = this.#watch
    const { responseId } = this.#about
    const began = now()
    // Untrusted: the model wrote it, and other tools than MCP's may run a name that no listing contains.
    const name = 'name' in item ? item.name.slice(0, 128) : tool
    const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.type': tool }
    const span = this.#child(`execute_tool ${name}`, 'internal', attributes)
    return {
      span,
      ended: (isFailed) => {
        const seconds = this.#secondsSince(began)
        emit({ type: 'tool_called', responseId, model: this.#model, tool, seconds, isFailed })
        endSpan(span, isFailed)
      },
    }
  }

  /** Takes a diagnostic about the request or the model's output. */
  noticed({ code, subject = '' }: Diagnostic): void {
    if (code === 'unhosted_tool') this.#unhostedTools = subject.split(', ')
    if (code !== 'engine_restarted') return
    const { responseId } = this.#about
    this.#watch.emit({ type: 'engine_restarted', responseId, model: this.#model, detail: subject })
  }

  /** The response has ended; without an argument, it could not be stored, or was refused. */
  ended(ending: ResponseEnding | undefined): void {
    if (this.#state === 'started') this.#tellEnd(ending)
    if (this.#state !== 'ended') this.#release()
    this.#state = 'ended'
    this.#watch.live.delete(this)
  }

  #tellEnd(ending: ResponseEnding | undefined): void {
    const status = statusOf(ending)
    const usage = countsOf(ending)
    const seconds = this.#secondsSince(this.#start)
    const unhostedTools = this.#unhostedTools
    const { owner } = this.#about
    const code = status === 'failed' ? (ending?.error?.code ?? 'server_error') : null
    const about = { ...this.#ofResponse, owner, status, code, seconds }
    this.#watch.emit({ type: 'response_ended', ...about, ...usage, unhostedTools })
    this.#span?.set({ ...attributesOf(usage), 'gen_ai.response.finish_reasons': [status] })
    if (code !== null) this.#span?.fail(code)
  }

  get #ofResponse() {
    const { responseId, request, model: requestedModel } = this.#about
    return { responseId, model: this.#model, ...(request && { requestId: request.requestId }), requestedModel }
  }

  #secondsSince(then: number): number {
    return (this.#watch.now() - then) / 1000
  }

  #child(name: string, kind: 'client' | 'internal', attributes: Attributes): Span | undefined {
    const span = this.#span
    return this.#watch.tracing?.start(name, { kind, ...(span && { parent: span }), attributes })
  }
}

/** Returns the parent of its spans: that of its request or, on a socket, one of its own. */
function spanOf(
  { request, trace, responseId }: ResponseAbout,
  { tracing }: Watch,
): { readonly span: Span | undefined; release(): void } {
  if (request !== undefined) return { span: request.span, release: request.hold() }
  const attributes = { 'gen_ai.response.id': responseId }
  const span = tracing?.start('response', { kind: 'server', ...(trace && { parent: trace }), attributes })
  return { span, release: () => span?.end() }
}

function endSpan(span: Span | undefined, isFailed: boolean): void {
  if (isFailed) span?.fail('_OTHER')
  span?.end()
}

function statusOf(ending: ResponseEnding | undefined): ResponseEnded['status'] {
  const status = ending?.status
  return status === 'completed' || status === 'incomplete' || status === 'cancelled' ? status : 'failed'
}

type Counts = Pick<ResponseEnded, 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'reasoningTokens'>

function countsOf(ending: ResponseEnding | undefined): Counts {
  const usage = ending?.usage
  return {
    inputTokens: usage?.input_tokens ?? null,
    cachedTokens: usage?.input_tokens_details.cached_tokens ?? null,
    outputTokens: usage?.output_tokens ?? null,
    reasoningTokens: usage?.output_tokens_details.reasoning_tokens ?? null,
  }
}

function attributesOf({ inputTokens, outputTokens }: Counts): Attributes {
  return {
    ...(inputTokens !== null && { 'gen_ai.usage.input_tokens': inputTokens }),
    ...(outputTokens !== null && { 'gen_ai.usage.output_tokens': outputTokens }),
  }
}
