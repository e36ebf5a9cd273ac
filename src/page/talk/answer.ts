import type { StreamEvent } from '../api/follow-response.js'

/** An item of an output, of this server or a later version: what it has depends on its type. */
export interface Item {
  readonly type: string
  readonly id?: string
  readonly [field: string]: unknown
}

/** An item as it stands, and how often it has changed: what draws it compares that number. */
export interface ShownItem {
  item: Item
  revision: number
}

export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly input_tokens_details?: { readonly cached_tokens?: number }
}

interface ResponseObject {
  readonly id: string
  readonly status: string
  readonly output: readonly Item[]
  readonly usage?: Usage | null
  readonly error?: { readonly message: string } | null
  readonly incomplete_details?: { readonly reason: string } | null
}

/** A response as its events have built it so far. */
export interface Answer {
  id: string | undefined
  status: string
  items: (ShownItem | undefined)[]
  usage: Usage | undefined
  /** Why it failed or is incomplete. */
  why: string | undefined
}

export function emptyAnswer(): Answer {
  return { id: undefined, status: 'queued', items: [], usage: undefined, why: undefined }
}

/** The texts of an item that grow by deltas, by the event's type. */
const FIELD_DELTAS: Readonly<Record<string, string>> = {
  'response.function_call_arguments.delta': 'arguments',
  'response.mcp_call_arguments.delta': 'arguments',
  'response.custom_tool_call_input.delta': 'input',
  'response.code_interpreter_call_code.delta': 'code',
}

/** The lists of parts whose texts grow by deltas. */
const PART_DELTAS: Readonly<Record<string, readonly ['content' | 'summary', string]>> = {
  'response.output_text.delta': ['content', 'content_index'],
  'response.reasoning_text.delta': ['content', 'content_index'],
  'response.reasoning_summary_text.delta': ['summary', 'summary_index'],
}

const STATUS = /^response\.\w+_call\.(in_progress|searching|interpreting|completed|failed)$/

/** Adds an event to an answer. Events of unknown types change nothing. */
export function applyEvent(answer: Answer, event: StreamEvent): void {
  const { type, response } = event
  if (response !== undefined) {
    applyResponse(answer, response as ResponseObject)
    return
  }
  if (type === 'error') {
    answer.why = (event['error'] as { readonly message?: string } | undefined)?.message
    return
  }
  const index = event['output_index']
  if (typeof index !== 'number') return
  if (type === 'response.output_item.added' || type === 'response.output_item.done') {
    answer.items[index] = { item: event['item'] as Item, revision: (answer.items[index]?.revision ?? 0) + 1 }
    return
  }
  const shown = answer.items[index]
  if (shown === undefined) return
  shown.item = changed(shown.item, event)
  shown.revision += 1
}

function changed(item: Item, event: StreamEvent): Item {
  const { type, delta } = event
  const [, status] = STATUS.exec(type) ?? []
  if (status !== undefined) return { ...item, status }
  const field = FIELD_DELTAS[type]
  if (field !== undefined) return { ...item, [field]: `${item[field] ?? ''}${delta}` }
  const [list, at] = PART_DELTAS[type] ?? []
  if (list !== undefined && at !== undefined) {
    return withPart(item, list, event[at], (part) => ({ ...part, text: `${part['text'] ?? ''}${delta}` }))
  }
  if (type === 'response.output_text.annotation.added') {
    return withPart(item, 'content', event['content_index'], (part) => ({
      ...part,
      annotations: [...((part['annotations'] as unknown[] | undefined) ?? []), event['annotation']],
    }))
  }
  return item
}

type Part = Readonly<Record<string, unknown>>

function withPart(item: Item, list: string, index: unknown, change: (part: Part) => Part): Item {
  const parts = [...((item[list] as Part[] | undefined) ?? [])]
  const at = Number(index)
  parts[at] = change(parts[at] ?? {})
  return { ...item, [list]: parts }
}

/** Takes what a response object says. One that has not ended has no output yet. */
export function applyResponse(answer: Answer, response: ResponseObject): void {
  const { id, status, output, usage, error, incomplete_details: incomplete } = response
  answer.id = id
  answer.status = status
  answer.usage = usage ?? undefined
  answer.why = error?.message ?? incomplete?.reason ?? answer.why
  if (output.length === 0) return
  answer.items = output.map((item, index) => ({ item, revision: (answer.items[index]?.revision ?? 0) + 1 }))
}

/** Whether nothing more comes. */
export function isEnded({ status }: Answer): boolean {
  return status !== 'queued' && status !== 'in_progress'
}
