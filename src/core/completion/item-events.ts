import type { Fields } from '../../shared/fields.js'
import type { RunningStatus } from '../items/item-state.js'
import { lookUp } from '../recipients/policy.js'
import type { ItemEvent } from '../responses/events.js'
import type { WholeItemByType, WholeItemEvents } from '../responses/host-items.js'
import type { OutputItem } from '../responses/items.js'
import { sharedLogprobs } from '../text/logprobs.js'

/*
 * The events that say how an item begins and ends, by its type. Each is a function of the item's wire form, so that items
 * that a model writes and items that a host inserts have the same ones. While a model writes, deltas come from
 * `items/kinds/`. Events have no part in common, because each reader may change his.
 */

/** The item types with events between `output_item.added` and `output_item.done`. */
type EventfulType = {
  [Type in keyof WholeItemByType]: [WholeItemEvents[Type]] extends [never] ? never : Type
}[keyof WholeItemByType]

type Item<Type extends EventfulType> = WholeItemByType[Type]
type Events<Type extends EventfulType> = readonly WholeItemEvents[Type][]

/** `Then` if the type has an event of this name. */
type If<Type extends EventfulType, Name extends string, Then> = [
  Extract<WholeItemEvents[Type]['type'], `response.${Name}`>,
] extends [never]
  ? unknown
  : Then

interface Closing<Type extends EventfulType> {
  /** Returns the fields that later events fill in, with their values in `output_item.added`. */
  announced?(item: Item<Type>): { readonly [Field in keyof Item<Type>]?: Item<Type>[Field] | undefined }
  /**
   * When the text is complete or cut off, and a call is run.
   *
   * @param call - the call that the item answers, if the response has it
   */
  written(item: Item<Type>, call: OutputItem | undefined): Events<Type>
}

interface Opening<Type extends EventfulType> {
  /** After `output_item.added`. */
  opened(item: Item<Type>): Events<Type>
}

interface Deltas<Type extends EventfulType> {
  /** The whole text in as few deltas as possible, if no model writes it. */
  deltas(item: Item<Type>): Events<Type>
}

interface Settlement<Type extends EventfulType> {
  /** When the result is there, or will never be. */
  settled(item: Item<Type>): Events<Type>
}

type StatusWithEvent<Type extends EventfulType> = {
  [Status in RunningStatus]: `response.${Type}.${Status}` extends WholeItemEvents[Type]['type'] ? Status : never
}[RunningStatus]

interface Run<Type extends EventfulType> {
  /** The status while the host runs the call. The event of that name is the last of `written`. */
  readonly running: StatusWithEvent<Type>
}

/** The types whose deltas are among `written`, because only the complete text says what they are about. */
type WrittenAtOnce = 'shell_call' | 'shell_call_output'

type Row<Type extends EventfulType> = Closing<Type> &
  If<Type, `${Type}.in_progress` | `${string}_part.added`, Opening<Type>> &
  (Type extends WrittenAtOnce ? unknown : If<Type, `${string}.delta`, Deltas<Type>>) &
  If<Type, `${Type}.completed`, Settlement<Type>> &
  If<Type, `${Type}.${RunningStatus}`, Run<Type>>

const ITEM_EVENTS: { readonly [Type in EventfulType]: Row<Type> } = {
  message: {
    announced: () => ({ content: [] }),
    opened: ({ content }) =>
      content.map((part, content_index) => ({
        type: 'response.content_part.added',
        ...{ content_index, part: emptied(part) },
      })),
    deltas: ({ content }) =>
      content.flatMap((part, content_index): Events<'message'> => {
        if (part.type === 'refusal') return [{ type: 'response.refusal.delta', content_index, delta: part.refusal }]
        const { text, annotations, logprobs } = part
        return [
          { type: 'response.output_text.delta', content_index, delta: text, logprobs },
          ...annotations.map((annotation, annotation_index) => ({
            type: 'response.output_text.annotation.added' as const,
            ...{ content_index, annotation_index, annotation },
          })),
        ]
      }),
    written: ({ content }) =>
      content.flatMap((part, content_index) => [
        part.type === 'refusal'
          ? { type: 'response.refusal.done', content_index, refusal: part.refusal }
          : {
              type: 'response.output_text.done',
              content_index,
              text: part.text,
              logprobs: sharedLogprobs(part.logprobs),
            },
        { type: 'response.content_part.done', content_index, part },
      ]),
  },

  reasoning: {
    announced: () => ({ content: [], summary: [] }),
    opened: ({ content, summary }) => [
      ...content.map((part, content_index) => ({
        type: 'response.content_part.added' as const,
        ...{ content_index, part: { ...part, text: '' } },
      })),
      ...summary.map((part, summary_index) => ({
        type: 'response.reasoning_summary_part.added' as const,
        ...{ summary_index, part: { ...part, text: '' } },
      })),
    ],
    deltas: ({ content, summary }) => [
      ...content.map(({ text: delta }, content_index) => ({
        type: 'response.reasoning_text.delta' as const,
        ...{ content_index, delta },
      })),
      ...summary.map(({ text: delta }, summary_index) => ({
        type: 'response.reasoning_summary_text.delta' as const,
        ...{ summary_index, delta },
      })),
    ],
    written: ({ content, summary }) => [
      ...content.flatMap(
        (part, content_index): Events<'reasoning'> => [
          { type: 'response.reasoning_text.done', content_index, text: part.text },
          { type: 'response.content_part.done', content_index, part },
        ],
      ),
      ...summary.flatMap(
        (part, summary_index): Events<'reasoning'> => [
          { type: 'response.reasoning_summary_text.done', summary_index, text: part.text },
          { type: 'response.reasoning_summary_part.done', summary_index, part },
        ],
      ),
    ],
  },

  function_call: {
    announced: () => ({ arguments: '' }),
    deltas: (item) => [{ type: 'response.function_call_arguments.delta', delta: item.arguments }],
    written: (item) => [{ type: 'response.function_call_arguments.done', arguments: item.arguments }],
  },

  custom_tool_call: {
    announced: () => ({ input: '' }),
    deltas: ({ input }) => [{ type: 'response.custom_tool_call_input.delta', delta: input }],
    written: ({ input }) => [{ type: 'response.custom_tool_call_input.done', input }],
  },

  mcp_list_tools: {
    announced: () => ({ tools: [], error: undefined }),
    opened: () => [{ type: 'response.mcp_list_tools.in_progress' }],
    written: () => [],
    settled: ({ error }) => [{ type: `response.mcp_list_tools.${error == null ? 'completed' : 'failed'}` }],
  },

  mcp_call: {
    announced: () => ({ arguments: '', output: null, error: null }),
    opened: () => [{ type: 'response.mcp_call.in_progress' }],
    deltas: (item) => [{ type: 'response.mcp_call_arguments.delta', delta: item.arguments }],
    written: (item) => [{ type: 'response.mcp_call_arguments.done', arguments: item.arguments }],
    settled: ({ status }) =>
      status === 'completed' || status === 'failed' ? [{ type: `response.mcp_call.${status}` }] : [],
  },

  code_interpreter_call: {
    running: 'interpreting',
    announced: ({ outputs }) => ({ code: '', outputs: outputs && [] }),
    opened: () => [{ type: 'response.code_interpreter_call.in_progress' }],
    deltas: ({ code }) => [{ type: 'response.code_interpreter_call_code.delta', delta: code ?? '' }],
    written: ({ code, status }) => [
      { type: 'response.code_interpreter_call_code.done', code: code ?? '' },
      ...(status === 'interpreting' ? [{ type: 'response.code_interpreter_call.interpreting' } as const] : []),
    ],
    settled: ({ status }) => (status === 'completed' ? [{ type: 'response.code_interpreter_call.completed' }] : []),
  },

  web_search_call: {
    running: 'searching',
    opened: () => [{ type: 'response.web_search_call.in_progress' }],
    written: ({ status }) => (status === 'searching' ? [{ type: 'response.web_search_call.searching' }] : []),
    settled: ({ status }) => (status === 'completed' ? [{ type: 'response.web_search_call.completed' }] : []),
  },

  file_search_call: {
    running: 'searching',
    announced: () => ({ queries: [], results: null }),
    opened: () => [{ type: 'response.file_search_call.in_progress' }],
    written: ({ status }) => (status === 'searching' ? [{ type: 'response.file_search_call.searching' }] : []),
    settled: ({ status }) => (status === 'completed' ? [{ type: 'response.file_search_call.completed' }] : []),
  },

  image_generation_call: {
    running: 'generating',
    announced: () => ({ result: null, error: undefined }),
    opened: () => [{ type: 'response.image_generation_call.in_progress' }],
    written: ({ status }) => (status === 'generating' ? [{ type: 'response.image_generation_call.generating' }] : []),
    settled: ({ status }) => (status === 'completed' ? [{ type: 'response.image_generation_call.completed' }] : []),
  },

  shell_call: {
    announced: () => ({ action: { commands: [], timeout_ms: null, max_output_length: null } }),
    written: ({ action }) =>
      action.commands.flatMap((command, command_index) => [
        { type: 'response.shell_call_command.added', command_index, command: '' },
        { type: 'response.shell_call_command.delta', command_index, delta: command },
        { type: 'response.shell_call_command.done', command_index, command },
      ]),
  },

  shell_call_output: {
    announced: ({ status }) => ({ status, output: [] }),
    written: ({ output }, call) =>
      byCommand(output, call).flatMap((output, command_index) => [
        ...output.map(({ stdout, stderr }) => ({
          type: 'response.shell_call_output_content.delta' as const,
          ...{ command_index, delta: { stdout, stderr } },
        })),
        { type: 'response.shell_call_output_content.done' as const, command_index, output },
      ]),
  },
}

type MessagePart = Item<'message'>['content'][number]

/** Returns a part as it begins, without what deltas and annotations bring. */
function emptied(part: MessagePart): MessagePart {
  return part.type === 'refusal' ? { ...part, refusal: '' } : { ...part, text: '', annotations: [], logprobs: [] }
}

/**
 * Deals out the outputs by command. The last command gets the rest: the SDK throws at the output of a command that the call
 * does not have.
 */
function byCommand<Output>(outputs: readonly Output[], call: OutputItem | undefined): Output[][] {
  const max = call?.type === 'shell_call' ? call.action.commands.length : outputs.length
  const answered = Math.min(max, outputs.length)
  return Array.from({ length: answered }, (_, at) => outputs.slice(at, at === answered - 1 ? undefined : at + 1))
}

/** Any item in its wire form. */
export interface WireItem {
  readonly type: string
}

/** A row whose item is known only at run time. */
interface AnyRow {
  readonly running?: RunningStatus
  announced?(item: WireItem): Fields
  opened?(item: WireItem): readonly ItemEvent[]
  deltas?(item: WireItem): readonly ItemEvent[]
  written?(item: WireItem, call?: OutputItem): readonly ItemEvent[]
  settled?(item: WireItem): readonly ItemEvent[]
}

const NO_EVENTS: AnyRow = {}

/** Returns the row of a type, for items of that type; an empty one for a type without events of its own. */
export function eventsOf(type: string): AnyRow {
  // biome-ignore lint/plugin: An item's row takes that item, which TypeScript cannot infer. `hostItem` has checked a host's.
  return lookUp(ITEM_EVENTS as unknown as Readonly<Record<string, AnyRow>>, type) ?? NO_EVENTS
}

/** Returns an item as `output_item.added` has it: clients append what later events bring. */
export function announcedForm<Item extends WireItem>(item: Item): Item {
  const { announced, written } = eventsOf(item.type)
  if (written === undefined) return item
  const begun: Fields = { status: 'in_progress', ...announced?.(item) }
  const form: { [field: string]: unknown } = { ...(item as object) }
  for (const [field, value] of Object.entries(begun)) {
    if (!Object.hasOwn(form, field)) continue
    if (value === undefined) delete form[field]
    else form[field] = value
  }
  // biome-ignore lint/plugin: TypeScript cannot infer that each field keeps its type.
  return form as unknown as Item
}
