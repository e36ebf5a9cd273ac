import type { Diagnostic } from '../../../core/diagnostics/diagnostic.js'
import type { ResponseUsage } from '../../../core/responses/response.js'
import type { HostedCall } from '../../tools/tool.js'
import type { ResponseEnded } from './metric.js'
import type { RequestObservation } from './observe-request.js'
import type { Attributes, Span, TraceContext } from './tracing.js'
import type { Watch } from './watch.js'

export interface ResponseAbout {
  readonly responseId: string
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

/** A response, from the reading of its request on. */
export interface ResponseObservation {
  /** Its request was accepted, and has waited for its turn. */
  started(): void
  modelCalled(): ModelCallObservation
  toolCalled(call: HostedCall): ToolCallObservation
  /** Takes a diagnostic about the request or the model's output. */
  noticed(diagnostic: Diagnostic): void
  /** The response has ended; without an argument, it could not be stored, or was refused. */
  ended(ending: ResponseEnding | undefined): void
}

export interface ModelCallObservation {
  readonly span: Span | undefined
  sampled(count: number): void
  ended(isFailed: boolean): void
}

export interface ToolCallObservation {
  readonly span: Span | undefined
  ended(isFailed: boolean): void
}

export function observeResponse(about: ResponseAbout, watch: Watch): ResponseObservation {
  const { responseId, request, model: requestedModel } = about
  const { now, emit, tracing } = watch
  const model = watch.knownModel(requestedModel)
  const ofResponse = { responseId, model, ...(request && { requestId: request.requestId }) }
  const start = now()
  const secondsSince = (then: number): number => (now() - then) / 1000
  const { span, release } = spanOf(about, watch)
  span?.set({ 'gen_ai.provider.name': 'harmony-responses', 'gen_ai.request.model': model })
  let state: 'new' | 'started' | 'ended' = 'new'
  let isSilent = true
  let unhostedTools: readonly string[] = []

  const child = (name: string, kind: 'client' | 'internal', attributes: Attributes): Span | undefined =>
    tracing?.start(name, { kind, ...(span && { parent: span }), attributes })

  return {
    started() {
      state = 'started'
      span?.set({ 'gen_ai.response.id': responseId })
      emit({ type: 'response_started', ...ofResponse, requestedModel, seconds: secondsSince(start) })
    },
    modelCalled() {
      const began = now()
      const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model }
      const call = child(`chat ${model}`, 'client', attributes)
      let tokens = 0
      return {
        span: call,
        sampled(count) {
          tokens += count
          if (isSilent) emit({ type: 'first_token', responseId, model, seconds: secondsSince(start) })
          isSilent = false
        },
        ended(isFailed) {
          emit({ type: 'model_called', responseId, model, seconds: secondsSince(began), tokens, isFailed })
          call?.set({ 'gen_ai.usage.output_tokens': tokens })
          endSpan(call, isFailed)
        },
      }
    },
    toolCalled({ type: tool, ...item }) {
      const began = now()
      // Untrusted: the model wrote it, and other tools than MCP's may run a name that no listing contains.
      const name = 'name' in item ? item.name.slice(0, 128) : tool
      const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.type': tool }
      const call = child(`execute_tool ${name}`, 'internal', attributes)
      return {
        span: call,
        ended(isFailed) {
          emit({ type: 'tool_called', responseId, model, tool, seconds: secondsSince(began), isFailed })
          endSpan(call, isFailed)
        },
      }
    },
    noticed({ code, subject = '' }) {
      if (code === 'unhosted_tool') unhostedTools = subject.split(', ')
    },
    ended(ending) {
      if (state === 'started') {
        const status = statusOf(ending)
        const usage = countsOf(ending)
        const seconds = secondsSince(start)
        emit({ type: 'response_ended', ...ofResponse, requestedModel, status, seconds, ...usage, unhostedTools })
        span?.set({ ...attributesOf(usage), 'gen_ai.response.finish_reasons': [status] })
        if (status === 'failed') span?.fail(ending?.error?.code ?? 'server_error')
      }
      if (state !== 'ended') release()
      state = 'ended'
    },
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
