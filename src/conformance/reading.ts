import { digest } from './digest.js'
import { type EventKind, kindOf } from './event-kind.js'
import { parseEvent } from './schemas/index.js'
import { type Fields, fieldsOf, isFields, listOf, type StreamEvent, textOf } from './stream-event.js'

/** A content or summary part of an item that is open. */
export interface OpenPart {
  /** The position of the event that announced it. */
  readonly at: number
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
  /** The position of the event that announced it. */
  readonly at: number
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
  readonly fields: ReadonlyMap<string, number>
  readonly status: unknown
}

type ShapeProblem = NonNullable<ReturnType<typeof parseEvent>['problem']>

/** How a stream stands. Every invariant reads it, and none changes it. */
export class Reading {
  /** Events so far. One without a type is none. */
  count = 0
  /** The number of the event that is looked at, of all that came. */
  position = 0
  /** The response of `response.created`. */
  created: Fields | undefined
  previous: StreamEvent | undefined
  /** What the previous event is. */
  before: EventKind | undefined
  terminal: StreamEvent | undefined
  /** Items that are open, by output index. */
  readonly open: Map<number, OpenItem> = new Map()
  /** Items that are done, by output index. */
  readonly done: Map<number, DoneItem> = new Map()
  /** What the event is that is looked at. */
  kind: EventKind = kindOf('')
  /** The open item that it is about. */
  item: OpenItem | undefined
  /** The part that it is about. */
  part: OpenPart | undefined
  #shaped: StreamEvent | undefined
  #problem: ShapeProblem | undefined

  /** What is wrong with the shape of the event that is looked at, if anything is. Read once, for all who ask. */
  shapeOf(event: StreamEvent): ShapeProblem | undefined {
    if (this.#shaped !== event) {
      this.#shaped = event
      this.#problem = parseEvent(event).problem
    }
    return this.#problem
  }

  /** Looks at an event, before the invariants do. */
  look(event: StreamEvent, kind: EventKind = kindOf(event.type)): void {
    const { output_index: at } = event
    const item = typeof at === 'number' ? this.open.get(at) : undefined
    this.kind = kind
    this.item = item
    if (item === undefined) this.part = undefined
    else if (kind.isOfSummary) this.part = partAt(item.summary, event['summary_index'])
    else this.part = partAt(item.parts, event['content_index'])
  }

  /** Takes the event that was looked at, after the invariants have. */
  take(event: StreamEvent): void {
    const { kind, item } = this
    this.count++
    this.previous = event
    this.before = kind
    this.#shaped = undefined
    if (kind.type === 'response.created') this.created ??= fieldsOf(event['response'])
    if (kind.isTerminal) this.terminal ??= event
    if (kind.isItemAdded) this.#add(event)
    else if (kind.isItemDone) this.#finish(event)
    else if (item !== undefined) this.#tell(item, event)
  }

  #add(event: StreamEvent): void {
    const { output_index: index } = event
    const added = fieldsOf(event['item'])
    if (typeof index !== 'number') return
    this.open.set(index, {
      at: this.position,
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
    const { id, type, status } = fields
    this.done.set(index, { id: textOf(id), type: textOf(type), status, fields: digestsOf(fields) })
  }

  #tell(item: OpenItem, event: StreamEvent): void {
    const { kind, part } = this
    // Of a run of deltas, the first says it.
    if (item.last !== kind.type) item.seen.add(kind.type)
    item.last = kind.type
    if (kind.isDelta) (part ?? item).deltas.push(textOf(event['delta']))
    else if (kind.opensPart) {
      const parts = kind.isOfSummary ? item.summary : item.parts
      parts.push({
        at: this.position,
        announced: fieldsOf(event['part']),
        deltas: [],
        told: undefined,
        done: undefined,
        annotations: [],
      })
    } else if (kind.closesPart) {
      if (part !== undefined) part.done = event['part']
    } else if (kind.type === 'response.shell_call_command.added') {
      item.deltas.length = 0
      item.told = undefined
    } else if (kind.type === 'response.output_text.annotation.added') part?.annotations.push(event['annotation'])
    else if (kind.isDone) (part ?? item).told = toldBy(event)
  }
}

function partAt(parts: readonly OpenPart[], index: unknown): OpenPart | undefined {
  return typeof index === 'number' ? parts[index] : undefined
}

function digestsOf(fields: Fields): Map<string, number> {
  const digests = new Map<string, number>()
  for (const name of Object.keys(fields)) digests.set(name, digest(fields[name]))
  return digests
}

/** The text that a `*.done` event tells: of whatever it is. */
export function toldBy({ text, refusal, arguments: call, input, code, command }: StreamEvent): string | undefined {
  const told = text ?? refusal ?? call ?? input ?? code ?? command
  return typeof told === 'string' ? told : undefined
}

/** The items that the terminal response says were made. */
export function outputOf(event: StreamEvent): Fields[] {
  return listOf(fieldsOf(event['response'])['output']).filter(isFields)
}
