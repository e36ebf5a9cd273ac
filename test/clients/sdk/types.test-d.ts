/*
 * Proofs for the compiler alone: `npm run typecheck --prefix test/clients` reads this file, nothing runs it. Every exception below is claimed
 * twice, by a type without it that fits and by a @ts-expect-error on the type with it, so that none outlives its
 * reason.
 */

import type {
  ChatCompletionChunk as SdkChunk,
  ChatCompletion as SdkCompletion,
  ChatCompletionMessageParam as SdkMessageParam,
} from 'openai/resources/chat/completions'
import type {
  ResponseInputItem as SdkInputItem,
  ResponseCreateParams as SdkRequest,
  ResponseCreateParamsNonStreaming as SdkRequestNonStreaming,
  Response as SdkResponse,
  ResponseStreamEvent as SdkStreamEvent,
} from 'openai/resources/responses/responses'
import type {
  ResponseInputItem as Sdk6InputItem,
  ResponseOutputItem as Sdk6OutputItem,
  ResponseCreateParams as Sdk6Request,
  Response as Sdk6Response,
  ResponseStreamEvent as Sdk6StreamEvent,
} from 'openai-6/resources/responses/responses'
import { decodeSse, toSseResponse } from '../../../src/core/sse/index.js'
import { traceTo } from '../../../src/core/trace/tracer.js'
import {
  type ChatChunk,
  type ChatCompletion,
  type ChatError,
  fromDialectResponse,
  type OpenResponsesResponse,
  openResponses,
  toChatChunks,
  toChatCompletion,
  toDialect,
  toDialectResponse,
  type VllmResponse,
  vllm,
} from '../../../src/dialects/index.js'
import {
  collectResponse,
  type Diagnostic,
  type ErrorEvent,
  HarmonyResponsesError,
  type HarmonyToken,
  type InputContent,
  type InputItem,
  type McpCallItem,
  type OutputItem,
  type ParsedRequest,
  policies,
  type RequestTool,
  type Response,
  type ResponseObject,
  type ResponseRequest,
  type ResponseStreamEvent,
  type ServedStreamEvent,
  type StreamEnd,
  type TokenChunk,
  type TokenSource,
  type Trace,
  Translator,
  type TranslatorSnapshot,
  translate,
  translateBatches,
  type WebSearchCallItem,
} from '../../../src/index.js'
import { type MalformedShape, malformedTranscript } from '../../../src/judge/conformance/arbitraries/index.js'

declare const event: ResponseStreamEvent
declare const response: Response
declare const item: OutputItem

/** Fails to compile if the argument does not fit. */
function expectType<Wanted>(_value: Wanted): void {}

/** Any of the members of a union, with fields of other types. */
type With<Union, Fields> = Union extends unknown ? Omit<Union, keyof Fields> & Fields : never

// Where the SDK's types differ from the wire

/** `output_text` is made by the SDK; the wire has null for a missing usage or user, which the types lack. */
type OnWire<Theirs extends SdkResponse | Sdk6Response> = Omit<Theirs, 'output_text' | 'usage' | 'user'> & {
  usage: NonNullable<Theirs['usage']> | null
  user: string | null
}

expectType<OnWire<SdkResponse>>(response)
// @ts-expect-error output_text
expectType<Omit<SdkResponse, 'usage' | 'user'>>(response)
// @ts-expect-error usage: null
expectType<Omit<SdkResponse, 'output_text' | 'user'>>(response)
// @ts-expect-error user: null
expectType<Omit<SdkResponse, 'output_text' | 'usage'>>(response)

type OfResponse = { response: unknown }
type Ours = Exclude<ResponseStreamEvent, ErrorEvent>
type OursOfResponse = Extract<Ours, OfResponse>
type OursOfItems = Exclude<Ours, OfResponse>
type ShellEvent = Extract<Ours, { type: `response.shell_call_${string}` }>
type Theirs<Event, Type> = Extract<Event, { type: Type }>

// The events are the SDK's: as they are, but for the response that some carry and for the error event.
expectType<SdkStreamEvent>(event as OursOfItems)
expectType<With<Theirs<SdkStreamEvent, OursOfResponse['type']>, { response: OnWire<SdkResponse> }>>(
  event as OursOfResponse,
)
// The SDK's is flat. The wire's is nested, and the AI SDK and Codex need it to be.
expectType<Omit<Theirs<SdkStreamEvent, 'error'>, 'code' | 'message' | 'param'>>(event as ErrorEvent)
expectType<Pick<Theirs<SdkStreamEvent, 'error'>, 'code' | 'message' | 'param'>>((event as ErrorEvent).error)
// @ts-expect-error nested
expectType<SdkStreamEvent>(event as ErrorEvent)

// No event is of a type that the SDK does not know: its stream helper would throw.
expectType<SdkStreamEvent['type']>(event.type)
expectType<Sdk6StreamEvent['type']>(event.type as Exclude<Ours, ShellEvent>['type'])
// @ts-expect-error 6.49 knows no event of a shell call, and its stream helper throws at the real ones too
expectType<Sdk6StreamEvent['type']>(event.type)

// What an application does with SDK types can be done with ours.
expectType<SdkResponse['output']>(response.output)
expectType<SdkResponse['output'][number]>(item)
expectType<NonNullable<SdkResponse['usage']> | null>(response.usage)

// openai 6.49, which Node 20 users get: the error of an MCP call is a string there, a web search is never incomplete, no cache lives for 12 hours, no tier is fast,
// and the arguments' done event has the function's name, which the wire has never had.

type NamedDone = Extract<ResponseStreamEvent, { type: 'response.function_call_arguments.done' }>
type OurItemsFor6 =
  | Exclude<OutputItem, McpCallItem | WebSearchCallItem>
  | With<McpCallItem, { error: null }>
  | With<WebSearchCallItem, { status: Exclude<WebSearchCallItem['status'], 'incomplete'> }>
type OurItemEvents = Extract<Ours, { item: unknown }>

expectType<Sdk6StreamEvent>(event as Exclude<OursOfItems, OurItemEvents | NamedDone | ShellEvent>)
expectType<Omit<Theirs<Sdk6StreamEvent, NamedDone['type']>, 'name'>>(event as NamedDone)
expectType<Sdk6OutputItem>(item as OurItemsFor6)
expectType<With<Theirs<Sdk6StreamEvent, OurItemEvents['type']>, { item: OutputItem }>>(event as OurItemEvents)
expectType<Omit<OnWire<Sdk6Response>, 'output' | 'prompt_cache_options' | 'service_tier'>>(response)
// @ts-expect-error a cache that lives for 12 hours
expectType<Omit<OnWire<Sdk6Response>, 'output'>>(response)
// @ts-expect-error McpCallItem.error
expectType<Sdk6OutputItem>(item)
// @ts-expect-error name
expectType<Sdk6StreamEvent>(event as NamedDone)

// Requests

declare const request: SdkRequest
declare const requestNonStreaming: SdkRequestNonStreaming
declare const request6: Sdk6Request

expectType<ResponseRequest>(request)
declare const parsed: ParsedRequest
expectType<ResponseRequest>(parsed)
// Its parameters have their types.
expectType<number | null | undefined>(request.temperature)
// @ts-expect-error no number
expectType<ResponseRequest>({ temperature: '1' })

// Everything that the SDK can send is typed here, and `type` narrows it.
declare const inputItem: SdkInputItem
declare const inputItem6: Sdk6InputItem
declare const tool: RequestTool
declare const input: InputItem
expectType<InputItem>(inputItem)
expectType<InputItem>(inputItem6)
if (tool.type === 'function') expectType<string>(tool.name)
if (tool.type === 'mcp') expectType<string>(tool.server_label)
if (input.type === 'function_call_output') expectType<string | readonly InputContent[]>(input.output)
// @ts-expect-error a tool of an MCP server has no name
if (tool.type === 'mcp') tool.name
expectType<ResponseObject>(response)

translate([], { request })
translate([], { request: requestNonStreaming })
translate([], { request: request6 })
new Translator({ request })
// A server passes on what it parsed.
translate([], { request: JSON.parse('{}') })
translate([], { request: { model: 'gpt-oss-20b', tools: [], include: null, temperature: 0.5 } })
translate([], { request: { model: undefined, tools: undefined } })
translate([], { request: parsed })
const written = { reasoning: { effort: 'low' }, text: { format: { type: 'json_object' } }, tool_choice: 'auto' }
translate([], { request: written })
translate([], { request: { tools: [{ type: 'mcp', server_label: 'github' }] } })

// Sources

async function* plainAsync() {
  yield 1
  yield [1, { id: 2, logprob: -0.5, topLogprobs: [{ id: 3, logprob: -1 }] }]
  yield 'text'
  yield { host: [1, 2] }
  yield { host: 'text' }
  yield { host: Uint32Array.of(1) }
  yield Uint32Array.of(1)
}
function* plainSync() {
  yield 1
}
async function* withEnd() {
  yield 'text'
  return { reason: 'stop', usage: { inputTokens: 1, cachedTokens: 0 } } as const
}
async function* withTypedEnd(): AsyncGenerator<TokenChunk, StreamEnd> {
  yield 'text'
  return { reason: 'content_filter' }
}
async function* withOptionalEnd(isCut: boolean): AsyncGenerator<string, StreamEnd | undefined> {
  yield 'text'
  if (isCut) return { reason: 'max_output_tokens' }
  return undefined
}
async function* withForeignEnd() {
  yield 1
  return 'length'
}
const ids: readonly number[] = [1, 2]
const scored: readonly HarmonyToken[] = [1, { id: 2 }]

for (const source of [plainAsync(), plainSync(), withEnd(), withTypedEnd(), withOptionalEnd(true), ids, scored]) {
  expectType<TokenSource>(source)
  translate(source)
}
expectType<TokenSource>(plainAsync())
expectType<TokenSource>(plainSync())
expectType<TokenSource>(withEnd())
expectType<TokenSource>(withTypedEnd())
expectType<TokenSource>(withOptionalEnd(true))
expectType<TokenSource>([1, 2])
expectType<TokenSource>(ids)
expectType<TokenSource>(scored)
expectType<TokenSource>(new Set([1, 2]))
expectType<TokenSource>(Uint32Array.of(1))
expectType<TokenSource>('<|channel|>final<|message|>Hi<|return|>')
expectType<TokenSource>(new ReadableStream<TokenChunk>())
expectType<TokenSource>(new ReadableStream<string>())
// @ts-expect-error what it returns is no StreamEnd
expectType<TokenSource>(withForeignEnd())
// @ts-expect-error a promise of a source is no source
expectType<TokenSource>(Promise.resolve([1]))
// @ts-expect-error nor are promises chunks
expectType<TokenSource>([Promise.resolve(1)])
// @ts-expect-error not iterable
expectType<TokenSource>(1)
// @ts-expect-error not iterable
expectType<TokenSource>({ host: [1] })

// Options

translate([], {})
translate([], {
  request: {},
  responseId: 'resp_1',
  clock: () => 0,
  ids: (prefix, ordinal, responseId) => `${prefix}_${ordinal}_${responseId}`,
  usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1, reasoningTokens: 0 },
  calls: 'whole',
  policy: { ...policies.openai, name: 'mine', undeclared: 'mcp_call' },
  containerId: 'cntr_1',
  trustToolMessages: true,
  onDiagnostic: (diagnostic) => expectType<Diagnostic>(diagnostic),
  trace: traceTo((trace) => expectType<Trace>(trace)),
  signal: AbortSignal.abort(),
})
// @ts-expect-error no such option
translate([], { respondeId: 'resp_1' })
// @ts-expect-error neither 'live' nor 'whole'
translate([], { calls: 'half' })
// @ts-expect-error no preset of that name
translate([], { policy: 'openia' })
// @ts-expect-error a table has to be whole
translate([], { policy: { name: 'mine' } })
// @ts-expect-error a clock gives a number
translate([], { clock: () => new Date() })
// @ts-expect-error an id is a string
translate([], { ids: () => 1 })
// @ts-expect-error the table itself, not a promise of it
translate([], { tokenTable: import('../../../src/index.js').then(({ loadTokenTable }) => loadTokenTable()) })
// @ts-expect-error a signal, not its controller
translate([], { signal: new AbortController() })
// @ts-expect-error a count is a number
translate([], { usage: { inputTokens: '1' } })
// @ts-expect-error tools are a list
translate([], { request: { tools: {} } })
// @ts-expect-error options are optional, but not null
translate([], null)
// @ts-expect-error pushing takes no signal
new Translator({ signal: AbortSignal.abort() })

// The translator

const translator = new Translator()
expectType<ResponseStreamEvent[]>(translator.push(1))
expectType<ResponseStreamEvent[]>(translator.toolResult({ itemId: 'mcp_1', output: '42' }))
expectType<ResponseStreamEvent[]>(translator.toolResult({ itemId: 'ci_1', outputs: [{ type: 'logs', logs: '42' }] }))
expectType<ResponseStreamEvent[]>(translator.toolResult({ itemId: 'mcp_1', error: { message: 'no' } }))
expectType<ResponseStreamEvent[]>(translator.end('stop'))
expectType<void>(translator.beginTurn({ inputTokens: 1, cachedTokens: 0, prefill: [1] }))
expectType<TranslatorSnapshot>(translator.snapshot())
expectType<Translator>(Translator.restore(translator.snapshot()))
expectType<Response>(translator.response)
// @ts-expect-error a result says what came of the call
translator.toolResult({ itemId: 'mcp_1' })
// @ts-expect-error engines say "length"; the API says max_output_tokens
translator.end('length')
// @ts-expect-error a failure has a message
translator.fail({ code: 'server_error' })
// @ts-expect-error read only
translator.response = response

// Output

expectType<AsyncGenerator<ResponseStreamEvent, Response>>(translate([]))
expectType<AsyncGenerator<ResponseStreamEvent[], Response>>(translateBatches([]))
expectType<Promise<Response>>(collectResponse(translate([])))
expectType<Promise<Response>>(collectResponse([event]))
expectType<Promise<Response>>(collectResponse(translateBatches([])))
// @ts-expect-error a stream, not what promises one
collectResponse(Promise.resolve([event]))

// A response in a dialect's words

const openResponse = toDialectResponse(response, openResponses)
expectType<OpenResponsesResponse>(openResponse)
expectType<Response>(fromDialectResponse(openResponse, openResponses))
expectType<'message' | 'reasoning' | 'function_call' | `openai:${string}`>(
  {} as (typeof openResponse)['output'][number]['type'],
)
expectType<'function' | `openai:${string}`>({} as (typeof openResponse)['tools'][number]['type'])
// @ts-expect-error what the specification does not know has a prefix
expectType<'mcp_call'>({} as Extract<(typeof openResponse)['output'][number], { arguments: string }>['type'])
const vllmResponse = toDialectResponse(response, vllm)
expectType<VllmResponse>(vllmResponse)
expectType<Response>(fromDialectResponse(vllmResponse, vllm))
expectType<string | null>(
  {} as Extract<(typeof vllmResponse)['output'][number], { type: 'reasoning' }>['encrypted_content'],
)
expectType<number | undefined>(vllmResponse.usage?.input_tokens_details.cache_write_tokens)
// @ts-expect-error a response of another dialect
fromDialectResponse(vllmResponse, openResponses)
toDialect(translateBatches([]), vllm)
// @ts-expect-error a stream, not what promises one
toDialect(Promise.resolve([event]), vllm)

// Encoding and decoding

// What a server sends, and what the helpers take, has keep-alives; what the translator yields has none.
declare const served: ServedStreamEvent
collectResponse([served])
toChatChunks([served])
toDialect([served], vllm)
// @ts-expect-error a keep-alive
expectType<ResponseStreamEvent>(served)

toSseResponse(translate([]))
toSseResponse(translateBatches([]))
// @ts-expect-error a stream, not what promises one
toSseResponse(Promise.resolve(translate([])))
expectType<AsyncIterable<ServedStreamEvent>>(decodeSse('data: {}'))
expectType<AsyncIterable<ServedStreamEvent>>(decodeSse(['data: {}', new Uint8Array()]))
// @ts-expect-error one chunk, not all
decodeSse(new Uint8Array())
expectType<Error>(new HarmonyResponsesError('bad_chunk', 'no'))
// @ts-expect-error no such code
new HarmonyResponsesError('bad', 'no')

expectType<MalformedShape>('repeated-channel')
malformedTranscript({ shapes: ['repeated-channel', 'end-in-header'] })
// @ts-expect-error no such shape
malformedTranscript({ shapes: ['repeated-chanel'] })
// @ts-expect-error a name, not a number
malformedTranscript({ shapes: [2] })

/** The unions are closed: a switch over them needs no default. */
export function spellItem(item: OutputItem): string {
  switch (item.type) {
    case 'message':
      return item.phase
    case 'reasoning':
      return item.content.map(({ text }) => text).join('')
    case 'function_call':
      return item.arguments
    case 'custom_tool_call':
      return item.input
    case 'mcp_call':
      return item.output ?? ''
    case 'code_interpreter_call':
      return item.code
    case 'mcp_list_tools':
      return item.server_label
    case 'mcp_approval_request':
      return item.arguments
    case 'web_search_call':
      return item.action.type
    case 'file_search_call':
      return item.queries.join(' ')
    case 'shell_call':
      return item.action.commands.join(' ')
    case 'shell_call_output':
      return item.output.map(({ stdout }) => stdout).join('')
    case 'local_shell_call':
      return item.action.command.join(' ')
    case 'apply_patch_call':
      return item.operation.path
  }
}

// Chunks and answers of Chat Completions are the SDK's, and an answer can be sent back as it is.

declare const chunk: ChatChunk
declare const completion: ChatCompletion
expectType<SdkChunk>(chunk)
expectType<SdkCompletion>(completion)
for (const { message } of completion.choices) expectType<SdkMessageParam>(message)
expectType<ChatCompletion>(toChatCompletion(response))
expectType<AsyncGenerator<ChatChunk | ChatError, void>>(toChatChunks([event]))

// Frames without event lines may hold anything that is an object.
toSseResponse(toChatChunks([event]), { eventLines: false })
// @ts-expect-error a chunk has no type for an event line
toSseResponse(toChatChunks([event]))
