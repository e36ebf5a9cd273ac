import { copyOf } from '../copy-of.js'
import type { IdPrefix } from '../ids.js'
import type { ItemBase, ItemKind } from './item.js'

/*
 * host_item: an item of the host's own, of any type of the wire, whole when it comes
 *
 *     output_item.added          without what the events between bring
 *       ...                      the events of its type, in the order in which OpenAI's streams have them
 *     output_item.done
 *
 * Most types have no events of their own: a compaction is added and done.
 */

/** An item of the API's, whole: what `Translator.insert` takes. Where it has no `id`, one is made. */
export type InsertableItem = Typed | (Typed & Fields)

interface Typed {
  readonly type: string
  readonly id?: string
}

export interface HostItem extends ItemBase {
  type: 'host_item'
  item: Typed & Fields
}

type Fields = Readonly<Record<string, unknown>>

/** What is told between `added` and `done`: of a type, or of each part in one of its lists. */
interface Order {
  /** States that the item enters, `*` being the last; and fields whose text is told. */
  readonly steps?: string
  /** Its lists of parts, what the events of a part's beginning and end are called, and what its index is. */
  readonly parts?: readonly (readonly [list: string, event: string, index: string])[]
}

/**
 * File search and images are as captured streams have them; the others are as the kinds beside this one write them. A
 * type that is not here is added and done.
 */
const ORDERS: Readonly<Record<string, Order>> = {
  file_search_call: { steps: 'in_progress searching *' },
  image_generation_call: { steps: 'in_progress generating *' },
  web_search_call: { steps: 'in_progress searching *' },
  code_interpreter_call: { steps: 'in_progress code interpreting *' },
  mcp_list_tools: { steps: 'in_progress *' },
  mcp_call: { steps: 'in_progress arguments *' },
  function_call: { steps: 'arguments' },
  custom_tool_call: { steps: 'input' },
  message: { parts: [['content', 'content_part', 'content_index']] },
  reasoning: {
    parts: [
      ['content', 'content_part', 'content_index'],
      ['summary', 'reasoning_summary_part', 'summary_index'],
    ],
  },
}

/** How the fields begin that the events of such types bring. */
const BEGINNINGS: Fields = {
  status: 'in_progress',
  arguments: '',
  input: '',
  code: '',
  content: [],
  summary: [],
  tools: [],
  queries: [],
  results: null,
  result: null,
  outputs: null,
  output: null,
  // Left out: not every type may have null there.
  error: undefined,
}

/** What ids begin with. A type that is not here has `item`. */
const PREFIXES: Readonly<Record<string, IdPrefix>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  mcp_call: 'mcp',
  mcp_list_tools: 'mcpl',
  mcp_approval_request: 'mcpr',
  code_interpreter_call: 'ci',
  web_search_call: 'ws',
  shell_call: 'sh',
  shell_call_output: 'sho',
  local_shell_call: 'lsh',
  compaction: 'cmp',
  file_search_call: 'fs',
  image_generation_call: 'ig',
  computer_call: 'cu',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
  apply_patch_call: 'apc',
}

/** An entry of a table above. The type of an item may be any word, also one that every object inherits. */
function lookUp<Entry>(table: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

export const hostItem: ItemKind<HostItem> = {
  prefix: 'item',
  hasNoStatus: true,

  create: ({ item }, effects) => ({ item, id: item.id ?? effects.id(lookUp(PREFIXES, item.type) ?? 'item') }),

  close(inserted, _outcome, effects) {
    const { item } = inserted
    const { steps, parts = [] } = lookUp(ORDERS, item.type) ?? {}
    const tell: Tell = (event, fields) => effects.tell(inserted, `response.${event}` as never, copyOf(fields) as never)
    for (const step of steps?.split(' ') ?? []) tellStep(item, step, tell)
    for (const [list, event, index] of parts) {
      for (const [at, part] of ((item[list] ?? []) as Fields[]).entries()) tellPart(part, event, { [index]: at }, tell)
    }
  },

  // What is spread last wins: the item's own type and status.
  wire: ({ item, id, stage }) => copyOf({ ...(stage === 'silent' ? begunOf(item) : item), id }) as never,
}

/** An item as it is announced: clients put together what the events bring. */
function begunOf(item: HostItem['item']): Fields {
  if (lookUp(ORDERS, item.type) === undefined) return item
  const begun = Object.entries(item).map(([field, value]) => [
    field,
    Object.hasOwn(BEGINNINGS, field) ? BEGINNINGS[field] : value,
  ])
  return Object.fromEntries(begun.filter(([, value]) => value !== undefined))
}

type Tell = (event: string, fields: Fields) => void

function tellStep(item: HostItem['item'], step: string, tell: Tell): void {
  const { type, status = 'completed', error } = item
  if (step !== '*') {
    if (typeof BEGINNINGS[step] === 'string') tellText(`${type}_${step}`, step, item, {}, {}, tell)
    else tell(`${type}.${step}`, {})
  } else if (status === 'completed' && error == null) tell(`${type}.completed`, {})
  // Of failure only MCP has an event.
  else if (/^mcp/.test(type)) tell(`${type}.failed`, {})
}

function tellPart(part: Fields, event: string, at: Fields, tell: Tell): void {
  const { type, annotations, logprobs = [] } = part
  const field = type === 'refusal' ? 'refusal' : 'text'
  const isAnswer = type === 'output_text'
  tell(`${event}.added`, { ...at, part: { ...part, [field]: '', ...(isAnswer && { annotations: [], logprobs: [] }) } })
  const text = type === 'summary_text' ? 'reasoning_summary_text' : `${type}`
  tellText(text, field, part, at, isAnswer ? { logprobs } : {}, tell, () => {
    for (const [annotation_index, annotation] of ((annotations ?? []) as unknown[]).entries()) {
      tell('output_text.annotation.added', { ...at, annotation_index, annotation })
    }
  })
  tell(`${event}.done`, { ...at, part })
}

/** A text in one delta, and whole. */
function tellText(
  event: string,
  field: string,
  holder: Fields,
  at: Fields,
  scores: Fields,
  tell: Tell,
  between: () => void = () => {},
): void {
  const delta = holder[field] ?? ''
  if (delta !== '') tell(`${event}.delta`, { ...at, delta, ...scores })
  between()
  tell(`${event}.done`, { ...at, [field]: delta, ...scores })
}
