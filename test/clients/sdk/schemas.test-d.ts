import type {
  ResponseOutputItem as SdkOutputItem,
  Response as SdkResponse,
  ResponseStreamEvent as SdkStreamEvent,
} from 'openai/resources/responses/responses'
import { z } from 'zod'
import type { OutputItem, Response, ResponseStreamEvent } from '../../../src/index.js'
import type {
  outputItemSchema,
  responseSchema,
  responseStreamEventSchema,
  WireResponse,
} from '../../../src/judge/conformance/schemas/index.js'
import { byType, exactly, strict, text, typed } from '../../../src/judge/conformance/schemas/schema-builders.js'

declare const response: Response

/** Fails to compile if the argument does not fit. */
function expectType<Wanted>(_value: Wanted): void {}

/**
 * A union's members one by one: against a union, the compiler takes a field that may be missing for one that may not.
 */
type Each<Union extends { type: string }> = { [Type in Union['type']]: Extract<Union, { type: Type }> }

type WireEventIn = z.input<typeof responseStreamEventSchema>
type WireEventOut = z.output<typeof responseStreamEventSchema>
type WireItemIn = z.input<typeof outputItemSchema>
type WireItemOut = z.output<typeof outputItemSchema>

/** A wire event or item of a type. */
declare function wireEvent<Type extends WireEventOut['type']>(type: Type): Extract<WireEventOut, { type: Type }>
declare function wireItem<Type extends WireItemOut['type']>(type: Type): Extract<WireItemOut, { type: Type }>

// The types that are written down are those of the schemas: `exactly` does not compile if they differ.

declare const status: z.ZodLiteral<'c' | 'd'>
type Two = { type: 'a'; status: 'c' | 'd' } | { type: 'b'; status: 'c' | 'd' }

exactly<{ a: string }>()(strict('a', { a: text }))
exactly<{ a?: string }>()(strict('a', { a: text.exactOptional() }))
// @ts-expect-error another type
exactly<{ a: number }>()(strict('a', { a: text }))
// @ts-expect-error the schema takes more
exactly<{ a: 'b' }>()(strict('a', { a: text }))
// @ts-expect-error the schema takes less
exactly<{ a?: string }>()(strict('a', { a: text }))
// @ts-expect-error in a member of a union, too
exactly<Two>()(byType('a or b', [typed('a', { status }), typed('b', { status: status.exactOptional() })]))
exactly<Two>()(byType('a or b', [typed('a', { status }), typed('b', { status })]))
// @ts-expect-error one member less
exactly<'a' | 'b'>()(z.literal('a'))
// @ts-expect-error one member more
exactly<'a'>()(z.literal(['a', 'b']))

// The schemas accept everything that we send.

expectType<Pick<Each<WireEventIn>, ResponseStreamEvent['type']>>({} as Each<ResponseStreamEvent>)
expectType<Pick<Each<WireItemIn>, OutputItem['type']>>({} as Each<OutputItem>)
expectType<z.input<typeof responseSchema>>(response)

// All that the schemas let through of what we send is of our types, where the wire is as strict as we are.

type Ours = ResponseStreamEvent
type Of<Type extends Ours['type']> = Extract<Ours, { type: Type }>
type OfResponse = Extract<Ours, { response: unknown }>['type']
type OfItem = Extract<Ours, { item: unknown }>['type']
type OfText = 'response.output_text.delta' | 'response.output_text.done'
type OfMessagePart = 'response.content_part.added' | 'response.content_part.done'
type Looser = OfResponse | OfItem | OfText | OfMessagePart | 'response.output_text.annotation.added' | 'error'
type AsStrict = Exclude<Ours['type'], Looser>

expectType<Pick<Each<Ours>, AsStrict>>({} as Pick<Each<WireEventOut>, AsStrict>)
// @ts-expect-error the response has more states, codes, tools and items
expectType<Of<'response.completed'>>(wireEvent('response.completed'))
// @ts-expect-error there are 16 more kinds of items
expectType<Of<'response.output_item.done'>>(wireEvent('response.output_item.done'))
// @ts-expect-error a log-probability of a delta has no bytes in the types
expectType<Of<'response.output_text.delta'>>(wireEvent('response.output_text.delta'))
// @ts-expect-error a log-probability of a delta has no bytes in the types
expectType<Of<'response.output_text.done'>>(wireEvent('response.output_text.done'))
// @ts-expect-error refusals, annotations of files, and texts without log-probabilities
expectType<Of<'response.content_part.done'>>(wireEvent('response.content_part.done'))
// @ts-expect-error annotations of files, and null
expectType<Of<'response.output_text.annotation.added'>>(wireEvent('response.output_text.annotation.added'))
// @ts-expect-error the code may be null
expectType<Of<'error'>>(wireEvent('error'))

type Item<Type extends OutputItem['type']> = Extract<OutputItem, { type: Type }>

expectType<Item<'code_interpreter_call'>>({ ...wireItem('code_interpreter_call'), code: '' })
expectType<Item<'mcp_approval_request'>>(wireItem('mcp_approval_request'))
// @ts-expect-error phase may be missing or null; refusals and annotations of files
expectType<Item<'message'>>(wireItem('message'))
// @ts-expect-error status and content may be missing
expectType<Item<'reasoning'>>(wireItem('reasoning'))
expectType<Item<'function_call'>>(wireItem('function_call'))
// @ts-expect-error the types have no status here, the wire has one
expectType<Item<'custom_tool_call'>>(wireItem('custom_tool_call'))
// @ts-expect-error a tool's description and annotations may be missing; the error may be null
expectType<Item<'mcp_list_tools'>>(wireItem('mcp_list_tools'))
// @ts-expect-error approval_request_id, error and output may be missing
expectType<Item<'mcp_call'>>(wireItem('mcp_call'))
// @ts-expect-error code may be null
expectType<Item<'code_interpreter_call'>>(wireItem('code_interpreter_call'))
// @ts-expect-error the action may be missing, and so may its query and url
expectType<Item<'web_search_call'>>(wireItem('web_search_call'))
// @ts-expect-error the environment may be missing
expectType<Item<'shell_call'>>(wireItem('shell_call'))
expectType<Item<'shell_call_output'>>(wireItem('shell_call_output'))
expectType<Item<'local_shell_call'>>(wireItem('local_shell_call'))

// The schemas accept what the types of openai 7.59 allow, except where the wire or a client is stricter.

type WithoutResponse = Exclude<SdkStreamEvent, { response: unknown } | { item: unknown } | { type: 'error' }>
type Lenient = Exclude<SdkOutputItem, { type: 'function_call' | 'custom_tool_call' }>
type SdkItem<Type extends SdkOutputItem['type']> = Extract<SdkOutputItem, { type: Type }>

expectType<Pick<Each<WireEventIn>, WithoutResponse['type']>>({} as Each<WithoutResponse>)
expectType<Pick<Each<WireItemIn>, Lenient['type']>>({} as Each<Lenient>)
// @ts-expect-error a call has an id and a status
expectType<Each<WireItemIn>['function_call']>({} as SdkItem<'function_call'>)
// @ts-expect-error a call has an id
expectType<Each<WireItemIn>['custom_tool_call']>({} as SdkItem<'custom_tool_call'>)
expectType<Each<WireItemIn>['mcp_call']>({} as SdkItem<'mcp_call'>)
// @ts-expect-error nested
expectType<Each<WireEventIn>['error']>({} as Each<SdkStreamEvent>['error'])
// @ts-expect-error what every capture has is optional there, and usage is never null
expectType<WireResponse>({} as Each<SdkStreamEvent>['response.completed']['response'])
// All that a response has in the types the schema knows, but for what only the SDKs make.
expectType<keyof WireResponse | 'output_text'>({} as keyof SdkResponse)

// The types of openai 7.59 allow what the schemas accept, except where the wire has less or more.

type Extra = 'error' | 'keepalive' | `response.apply_patch_call_operation_diff.${string}`
type WireOfTheirs = Exclude<WireEventOut, { type: Extra } | { response: unknown } | { item: unknown }>
type Leaner =
  | 'web_search_call'
  | 'image_generation_call'
  | 'shell_call'
  | 'tool_search_output'
  | 'additional_tools'
  | 'mcp_list_tools'
  | 'computer_call'
type AsLean = Exclude<WireItemOut, { type: Leaner }>

expectType<Pick<Each<SdkStreamEvent>, WireOfTheirs['type']>>({} as Each<WireOfTheirs>)
expectType<Pick<Each<SdkOutputItem>, AsLean['type']>>({} as Each<AsLean>)
// @ts-expect-error no action when it is added; feeds for sources
expectType<SdkItem<'web_search_call'>>(wireItem('web_search_call'))
// @ts-expect-error the error as an object, as a call has it
expectType<SdkItem<'mcp_list_tools'>>(wireItem('mcp_list_tools'))
// @ts-expect-error a double click without keys
expectType<SdkItem<'computer_call'>>(wireItem('computer_call'))
// @ts-expect-error no result when it is added
expectType<SdkItem<'image_generation_call'>>(wireItem('image_generation_call'))
// @ts-expect-error no environment in older captures
expectType<SdkItem<'shell_call'>>(wireItem('shell_call'))
// @ts-expect-error tools are not looked at
expectType<SdkItem<'tool_search_output'>>(wireItem('tool_search_output'))
// @ts-expect-error tools are not looked at
expectType<SdkItem<'additional_tools'>>(wireItem('additional_tools'))
