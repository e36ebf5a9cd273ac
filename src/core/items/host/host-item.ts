import { copyOf } from '../../../shared/copy-of.js'
import { check } from '../../../shared/errors.js'
import type { Fields } from '../../../shared/fields.js'
import { plainCopy } from '../../../shared/plain-copy.js'
import { lookUp } from '../../recipients/policy.js'
import { PREFIXES } from '../prefixes.js'
import type { HostItem, Typed } from './inserted-item.js'

/** A complete item of the API, of any type. The translator adds an `id` if it has none. */
export type WholeItem = Typed | (Typed & Fields)

/**
 * The events between `added` and `done`, by item type. Each word is a status event (`*` is the final one), a text field
 * or a list of parts. File search and images follow captured streams, the others match what `items/` emits. Types that
 * are not listed have no events in between.
 */
const SEQUENCES: Readonly<Record<string, string>> = {
  file_search_call: 'in_progress searching *',
  image_generation_call: 'in_progress generating *',
  web_search_call: 'in_progress searching *',
  code_interpreter_call: 'in_progress code interpreting *',
  mcp_list_tools: 'in_progress *',
  mcp_call: 'in_progress arguments *',
  function_call: 'arguments',
  custom_tool_call: 'input',
  message: 'content',
  reasoning: 'content summary',
}

/** Values in `output_item.added` of fields that later events fill in. Undefined: the field is left out. */
const INITIAL: Fields = {
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
  error: undefined,
}

/**
 * Creates an item of the host's own, for `translator.insert(hostItem(item))`: a compaction, a file search, an image, a
 * message. Most types get only `added` and `done`; types with events of their own get those of captured streams too.
 *
 * @throws HarmonyResponsesError `bad_option` if it is not plain data or has no type
 */
export function hostItem(item: WholeItem): HostItem {
  const { type, id } = Object(item) as Partial<Typed>
  check(typeof type === 'string' && type !== '', 'hostItem', 'an item with a type', item)
  check(id === undefined || (typeof id === 'string' && id !== ''), 'hostItem: id', 'a string', id)
  const whole = filled(plainCopy('hostItem', item) as Typed & Fields)
  const events: HostItem['events'][number][] = []
  const emit: Emit = (event, fields) => events.push(copyOf({ type: `response.${event}`, ...fields }))
  for (const step of stepsOf(whole)) emitStep(whole, step, emit)
  return { prefix: lookUp(PREFIXES, type) ?? 'item', begun: announcedForm(whole), events, whole }
}

/** Fills in the parts of a message or of reasoning, and their fields, which clients read without checking. */
function filled(item: Typed & Fields): Typed & Fields {
  const lists = stepsOf(item).filter((step) => Array.isArray(INITIAL[step]))
  return { ...item, ...Object.fromEntries(lists.map((list) => [list, partsIn(item, list).map(filledPart)])) }
}

function partsIn(item: Fields, list: string): readonly Fields[] {
  const parts = item[list] ?? []
  const isList = Array.isArray(parts) && parts.every((part) => typeof Object(part).type === 'string')
  check(isList, `hostItem: ${list}`, 'an array of parts with types', parts)
  return parts
}

function filledPart(part: Fields): Fields {
  const field = textField(part)
  const text = part[field] ?? ''
  check(typeof text === 'string', `hostItem: ${field}`, 'a string', text)
  if (part['type'] !== 'output_text') return { ...part, [field]: text }
  const [annotations, logprobs] = ['annotations', 'logprobs'].map((list) => {
    const entries = part[list] ?? []
    const isList = Array.isArray(entries) && entries.every((entry) => Object(entry) === entry)
    check(isList, `hostItem: ${list}`, 'an array of objects', entries)
    return entries
  })
  return { ...part, text, annotations, logprobs }
}

function textField({ type }: Fields): 'text' | 'refusal' {
  return type === 'refusal' ? 'refusal' : 'text'
}

/** Returns the steps between `added` and `done`. */
function stepsOf({ type }: Typed): readonly string[] {
  return lookUp(SEQUENCES, type)?.split(' ') ?? []
}

/**
 * Returns the item in `output_item.added`, without the content of later events: clients would append it a second time.
 */
function announcedForm(item: Typed & Fields): Typed & Fields {
  if (lookUp(SEQUENCES, item.type) === undefined) return item
  const begun = Object.entries(item).map(([field, value]) => [
    field,
    Object.hasOwn(INITIAL, field) ? INITIAL[field] : value,
  ])
  return Object.fromEntries(begun.filter(([, value]) => value !== undefined)) as Typed & Fields
}

type Emit = (event: string, fields: Fields) => void

function emitStep(item: Typed & Fields, step: string, emit: Emit): void {
  const { type, status = 'completed', error } = item
  const beginning = INITIAL[step]
  if (step === '*') {
    if (status === 'completed' && error == null) emit(`${type}.completed`, {})
    // Only MCP items have a `.failed` event.
    else if (/^mcp/.test(type)) emit(`${type}.failed`, {})
  } else if (beginning === '') emitText(`${type}_${step}`, step, item, {}, emit)
  else if (beginning === undefined) emit(`${type}.${step}`, {})
  else for (const [at, part] of partsIn(item, step).entries()) emitPart(part, step, at, emit)
}

function emitPart(part: Fields, list: string, at: number, emit: Emit): void {
  const isSummary = list === 'summary'
  const { type, annotations, logprobs } = part
  const name = isSummary ? 'reasoning_summary_part' : 'content_part'
  const place = { [isSummary ? 'summary_index' : 'content_index']: at }
  const field = textField(part)
  const isAnswer = type === 'output_text'
  emit(`${name}.added`, {
    ...place,
    part: { ...part, [field]: '', ...(isAnswer && { annotations: [], logprobs: [] }) },
  })
  const scores = isAnswer ? { logprobs } : {}
  emitText(`${isSummary ? 'reasoning_' : ''}${type}`, field, part, { ...place, ...scores }, emit, () => {
    if (!isAnswer) return
    for (const [annotation_index, annotation] of (annotations as unknown[]).entries()) {
      emit('output_text.annotation.added', { ...place, annotation_index, annotation })
    }
  })
  emit(`${name}.done`, { ...place, part })
}

/** Emits a text as one delta, and then as a whole. */
function emitText(name: string, field: string, holder: Fields, about: Fields, emit: Emit, between?: () => void): void {
  const text = holder[field] ?? ''
  check(typeof text === 'string', `hostItem: ${field}`, 'a string', text)
  if (text !== '') emit(`${name}.delta`, { ...about, delta: text })
  between?.()
  emit(`${name}.done`, { ...about, [field]: text })
}
