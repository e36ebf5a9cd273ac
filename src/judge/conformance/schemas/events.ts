import type { z } from 'zod'
import type { ReasoningText, SummaryText } from '../../../core/responses/items.js'
import { shellOutput } from './item-parts.js'
import type { WireOutputItem, WireShellOutput } from './item-types.js'
import { outputItemSchema } from './items.js'
import type { WireAnnotation, WireContentPart, WireDeltaLogprob } from './parts.js'
import { annotation, contentPart, deltaLogprobs, summaryText } from './parts.js'
import { responseSchema, type WireResponse } from './response.js'
import { byType, count, exactly, list, oneOf, orNull, strict, text, textOrNull, typed } from './schema-builders.js'

type Sequenced<Type extends string, Fields = unknown> = Type extends unknown
  ? { type: Type; sequence_number: number } & Fields
  : never
type OfItem<Type extends string, Fields = unknown> = Sequenced<Type, { output_index: number; item_id: string } & Fields>
type OfPart<Type extends string, Fields = unknown> = OfItem<Type, { content_index: number } & Fields>
type OfSummary<Type extends string, Fields> = OfItem<Type, { summary_index: number } & Fields>
/** An event about a shell command. It has no `item_id`, neither in the types nor in captures. */
type OfCommand<Type extends string, Fields> = Sequenced<Type, { output_index: number; command_index: number } & Fields>

type Delta = { delta: string }
type Logged = { logprobs: WireDeltaLogprob[] }
type Lifecycle = 'created' | 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed'
type Progress =
  | `code_interpreter_call.${'in_progress' | 'interpreting' | 'completed'}`
  | `file_search_call.${'in_progress' | 'searching' | 'completed'}`
  | `image_generation_call.${'in_progress' | 'generating' | 'completed'}`
  | `mcp_call.${'in_progress' | 'completed' | 'failed'}`
  | `mcp_list_tools.${'in_progress' | 'completed' | 'failed'}`
  | `web_search_call.${'in_progress' | 'searching' | 'completed'}`
  | 'compaction.compacting'

/** A stream event as servers send it. */
export type WireStreamEvent =
  | Sequenced<`response.${Lifecycle}`, { response: WireResponse }>
  | Sequenced<'error', { error: { type: string; code: string | null; message: string; param: string | null } }>
  | Sequenced<'keepalive'>
  | Sequenced<`response.output_item.${'added' | 'done'}`, { output_index: number; item: WireOutputItem }>
  | OfItem<`response.${Progress}`>
  | OfPart<`response.content_part.${'added' | 'done'}`, { part: WireContentPart }>
  | OfPart<'response.output_text.delta', Delta & Logged>
  | OfPart<'response.output_text.done', { text: string } & Logged>
  | OfPart<'response.output_text.annotation.added', { annotation_index: number; annotation: WireAnnotation | null }>
  | OfPart<'response.refusal.delta' | 'response.reasoning_text.delta', Delta>
  | OfPart<'response.refusal.done', { refusal: string }>
  | OfPart<'response.reasoning_text.done', Pick<ReasoningText, 'text'>>
  | OfSummary<'response.reasoning_summary_part.added', { part: SummaryText }>
  | OfSummary<'response.reasoning_summary_part.done', { part: SummaryText; status?: 'incomplete' }>
  | OfSummary<'response.reasoning_summary_text.delta', Delta>
  | OfSummary<'response.reasoning_summary_text.done', { text: string }>
  | OfItem<`response.${'function_call' | 'mcp_call'}_arguments.delta`, Delta>
  | OfItem<`response.${'function_call' | 'mcp_call'}_arguments.done`, { arguments: string }>
  | OfItem<'response.custom_tool_call_input.delta', Delta>
  | OfItem<'response.custom_tool_call_input.done', { input: string }>
  | OfItem<'response.code_interpreter_call_code.delta', Delta>
  | OfItem<'response.code_interpreter_call_code.done', { code: string }>
  | OfItem<'response.apply_patch_call_operation_diff.delta', Delta>
  | OfItem<'response.apply_patch_call_operation_diff.done', { diff: string }>
  | OfCommand<`response.shell_call_command.${'added' | 'done'}`, { command: string }>
  | OfCommand<'response.shell_call_command.delta', Delta>
  | OfItem<
      'response.shell_call_output_content.delta',
      { command_index: number; delta: { stdout?: string; stderr?: string } }
    >
  | OfItem<'response.shell_call_output_content.done', { command_index: number; output: WireShellOutput[] }>
  | OfItem<
      'response.image_generation_call.partial_image',
      {
        partial_image_b64: string
        partial_image_index: number
        background?: string
        output_format?: string
        quality?: string
        size?: string
      }
    >
  | Sequenced<`response.audio.${'delta' | 'transcript.delta'}`, Delta>
  | Sequenced<`response.audio.${'done' | 'transcript.done'}`>

const sequenced = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  typed(type, { sequence_number: count, ...shape })
const ofItem = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  sequenced(type, { output_index: count, item_id: text, ...shape })
const ofPart = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  ofItem(type, { content_index: count, ...shape })
const ofSummary = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  ofItem(type, { summary_index: count, ...shape })
const ofCommand = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  sequenced(type, { output_index: count, command_index: count, ...shape })

const delta = { delta: text }
const logprobs = deltaLogprobs
const lifecycle = { response: responseSchema }
const ofOutputItem = { output_index: count, item: outputItemSchema }
const ofCommandOutput = { command_index: count }

/** The types of the events about the progress of an item. */
const moments = <const Item extends string, const Moment extends string>(item: Item, ...all: Moment[]) =>
  all.map((moment) => `response.${item}.${moment}` as const)

const progressEvent = strict('happened', {
  type: oneOf(
    ...moments('code_interpreter_call', 'in_progress', 'interpreting', 'completed'),
    ...moments('compaction', 'compacting'),
    ...moments('file_search_call', 'in_progress', 'searching', 'completed'),
    ...moments('image_generation_call', 'in_progress', 'generating', 'completed'),
    ...moments('mcp_call', 'in_progress', 'completed', 'failed'),
    ...moments('mcp_list_tools', 'in_progress', 'completed', 'failed'),
    ...moments('web_search_call', 'in_progress', 'searching', 'completed'),
  ),
  sequence_number: count,
  output_index: count,
  item_id: text,
})

const union = byType('the type of a stream event', [
  sequenced('response.created', lifecycle),
  sequenced('response.queued', lifecycle),
  sequenced('response.in_progress', lifecycle),
  sequenced('response.completed', lifecycle),
  sequenced('response.incomplete', lifecycle),
  sequenced('response.failed', lifecycle),
  // Servers nest the fields (OpenAI error.1), the type has them flat; a flat error breaks the AI SDK and Codex.
  sequenced('error', {
    error: strict('nested error', { type: text, code: textOrNull, message: text, param: textOrNull }),
  }),
  sequenced('keepalive', {}),
  sequenced('response.output_item.added', ofOutputItem),
  sequenced('response.output_item.done', ofOutputItem),
  progressEvent,
  ofPart('response.content_part.added', { part: contentPart }),
  ofPart('response.content_part.done', { part: contentPart }),
  ofPart('response.output_text.delta', { ...delta, logprobs }),
  ofPart('response.output_text.done', { text, logprobs }),
  ofPart('response.output_text.annotation.added', {
    annotation_index: count,
    annotation: orNull('an object', annotation),
  }),
  ofPart('response.refusal.delta', delta),
  ofPart('response.refusal.done', { refusal: text }),
  ofPart('response.reasoning_text.delta', delta),
  ofPart('response.reasoning_text.done', { text }),
  ofSummary('response.reasoning_summary_part.added', { part: summaryText }),
  ofSummary('response.reasoning_summary_part.done', {
    part: summaryText,
    status: oneOf('incomplete').exactOptional(),
  }),
  ofSummary('response.reasoning_summary_text.delta', delta),
  ofSummary('response.reasoning_summary_text.done', { text }),
  ofItem('response.function_call_arguments.delta', delta),
  ofItem('response.function_call_arguments.done', { arguments: text }),
  ofItem('response.mcp_call_arguments.delta', delta),
  ofItem('response.mcp_call_arguments.done', { arguments: text }),
  ofItem('response.custom_tool_call_input.delta', delta),
  ofItem('response.custom_tool_call_input.done', { input: text }),
  ofItem('response.code_interpreter_call_code.delta', delta),
  ofItem('response.code_interpreter_call_code.done', { code: text }),
  ofItem('response.apply_patch_call_operation_diff.delta', delta),
  ofItem('response.apply_patch_call_operation_diff.done', { diff: text }),
  ofCommand('response.shell_call_command.added', { command: text }),
  ofCommand('response.shell_call_command.delta', delta),
  ofCommand('response.shell_call_command.done', { command: text }),
  ofItem('response.shell_call_output_content.delta', {
    ...ofCommandOutput,
    delta: strict('shell output delta', { stdout: text.exactOptional(), stderr: text.exactOptional() }),
  }),
  ofItem('response.shell_call_output_content.done', { ...ofCommandOutput, output: list(shellOutput) }),
  ofItem('response.image_generation_call.partial_image', {
    partial_image_b64: text,
    partial_image_index: count,
    background: text.exactOptional(),
    output_format: text.exactOptional(),
    quality: text.exactOptional(),
    size: text.exactOptional(),
  }),
  sequenced('response.audio.delta', delta),
  sequenced('response.audio.done', {}),
  sequenced('response.audio.transcript.delta', delta),
  sequenced('response.audio.transcript.done', {}),
])

/**
 * Any stream event: the 59 of the `openai` 7.59 union, and the four of `extraEvents`. Events and items must not have
 * unknown keys, except `extraKeys`; the response object may.
 */
export const responseStreamEventSchema: z.ZodType<WireStreamEvent, WireStreamEvent> = exactly<WireStreamEvent>()(union)

/** The types of all stream events. */
export const EVENT_TYPES: readonly WireStreamEvent['type'][] = union.options.flatMap(({ shape }) => [
  ...shape.type.values,
])
