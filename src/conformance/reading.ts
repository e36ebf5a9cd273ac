import { parseEvent } from './schemas/index.js'
import { canonical, type Fields, fieldsOf, isFields, listOf, type StreamEvent, textOf } from './stream-event.js'

/** A content or summary part of an item that is open. */
export interface OpenPart {
  readonly announced: Fields
  /** The deltas so far, joined when the text is told. */
  readonly deltas: string[]
  /** The text as its `*.done` event told it. */
  told: string | undefined
  /** The part as `*_part.done` told it. */
  done: unknown
  annotations: unknown[]
}

/** An item between `output_item.added` and `output_item.done`. */
export interface OpenItem {
  readonly index: number
  readonly added: Fields
  readonly id: string
  readonly type: string
  readonly parts: OpenPart[]
  readonly summary: OpenPart[]
  /** Deltas of arguments, input or code. */
  readonly deltas: string[]
  /** What their `*.done` event told. */
  told: string | undefined
  /** The events about it, by type. Their number is bounded by the number of types. */
  readonly seen: Set<string>
  /** The type of the last event about it. */
  last: string
}

/** An item that is over. Of what it said only a digest is kept. */
export interface DoneItem {
  readonly id: string
  readonly type: string
  /** Digest of each field. */
  readonly fields: ReadonlyMap<string, string>
  readonly status: unknown
}

/** Types of events that end a stream. */
const TERMINAL: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

export function isTerminal({ type }: StreamEvent): boolean {
  return TERMINAL.has(type)
}

/** Events of a response's life: they carry it whole. */
export function isLifecycle({ type }: StreamEvent): boolean {
  return (
    TERMINAL.has(type) || type === 'response.created' || type === 'response.in_progress' || type === 'response.queued'
  )
}

/** Whether an event counts in summary_index: all others that are about a part count in content_index. */
export function isOfSummary({ type }: StreamEvent): boolean {
  return type.startsWith('response.reasoning_summary_')
}

type ShapeProblem = NonNullable<ReturnType<typeof parseEvent>['problem']>

/** How a stream stands. Every invariant reads it, and none changes it. */
export class Reading {
  /** Events so far. */
  count = 0
  /** The response of `response.created`. */
  created: Fields | undefined
  previous: StreamEvent | undefined
  terminal: StreamEvent | undefined
  /** Items that are open, by output index. */
  readonly open: Map<number, OpenItem> = new Map()
  /** Items that are done, by output index. */
  readonly done: Map<number, DoneItem> = new Map()
  /** How many were announced. */
  announced = 0
  #shaped: StreamEvent | undefined
  #problem: ShapeProblem | undefined

  /** The open item that an event is about. */
  itemOf({ output_index }: StreamEvent): OpenItem | undefined {
    return typeof output_index === 'number' ? this.open.get(output_index) : undefined
  }

  /** The part that an event is about. */
  partOf(event: StreamEvent): OpenPart | undefined {
    const item = this.itemOf(event)
    const [parts, index] = isOfSummary(event)
      ? [item?.summary, event['summary_index']]
      : [item?.parts, event['content_index']]
    return typeof index === 'number' ? parts?.[index] : undefined
  }

  /** What is wrong with the shape of the event that is looked at, if anything is. Read once, for all who ask. */
  shapeOf(event: StreamEvent): ShapeProblem | undefined {
    if (this.#shaped !== event) {
      this.#shaped = event
      this.#problem = parseEvent(event).problem
    }
    return this.#problem
  }

  /** Takes an event, after the invariants have looked at it. */
  take(event: StreamEvent): void {
    this.count++
    this.previous = event
    this.#shaped = undefined
    if (event.type === 'response.created') this.created ??= fieldsOf(event['response'])
    if (isTerminal(event)) this.terminal ??= event
    const item = this.itemOf(event)
    if (event.type === 'response.output_item.added') this.#add(event)
    else if (event.type === 'response.output_item.done') this.#finish(event)
    else if (item !== undefined) this.#tell(item, event)
  }

  #add(event: StreamEvent): void {
    const { output_index: index } = event
    const added = fieldsOf(event['item'])
    this.announced++
    if (typeof index !== 'number') return
    this.open.set(index, {
      index,
      added,
      id: textOf(added['id']),
      type: textOf(added['type']),
      parts: [],
      summary: [],
      deltas: [],
      told: undefined,
      seen: new Set(),
      last: event.type,
    })
  }

  #finish({ output_index: index, item }: StreamEvent): void {
    if (typeof index !== 'number') return
    this.open.delete(index)
    const fields = fieldsOf(item)
    const digests = Object.entries(fields).map(([name, value]) => [name, digest(value)] as const)
    const { id, type, status } = fields
    this.done.set(index, { id: textOf(id), type: textOf(type), status, fields: new Map(digests) })
  }

  #tell(item: OpenItem, event: StreamEvent): void {
    item.seen.add(event.type)
    item.last = event.type
    const part = this.partOf(event)
    const { delta, part: told } = event
    if (event.type.endsWith('_part.added')) {
      const parts = isOfSummary(event) ? item.summary : item.parts
      parts.push({ announced: fieldsOf(told), deltas: [], told: undefined, done: undefined, annotations: [] })
    } else if (event.type.endsWith('_part.done')) {
      if (part !== undefined) part.done = told
    } else if (event.type === 'response.shell_call_command.added') {
      item.deltas.length = 0
      item.told = undefined
    } else if (event.type === 'response.output_text.annotation.added') part?.annotations.push(event['annotation'])
    else if (event.type.endsWith('.delta')) (part ?? item).deltas.push(textOf(delta))
    else if (event.type.endsWith('.done')) (part ?? item).told = toldBy(event)
  }
}

/** The text that a `*.done` event tells: of whatever it is. */
export function toldBy({ text, refusal, arguments: call, input, code, command }: StreamEvent): string | undefined {
  const told = text ?? refusal ?? call ?? input ?? code ?? command
  return typeof told === 'string' ? told : undefined
}

/** A short text that is equal for equal values, and for others almost never: two hashes of 32 bits, and the length. */
export function digest(value: unknown): string {
  const text = canonical(value) ?? 'undefined'
  if (text.length <= 64) return text
  let [a, b] = [0x811c9dc5, 0x9e3779b9]
  for (let at = 0; at < text.length; at++) {
    a = Math.imul(a ^ text.charCodeAt(at), 0x01000193)
    b = Math.imul(b ^ text.charCodeAt(at), 0x85ebca6b) ^ (b >>> 13)
  }
  return `#${text.length}.${a >>> 0}.${b >>> 0}`
}

/** The items that the terminal response says were made. */
export function outputOf(event: StreamEvent): Fields[] {
  return listOf(fieldsOf(event['response'])['output']).filter(isFields)
}
