import { type EventKind, kindOf } from './event-kind.js'
import { jsonHash } from './json-hash.js'
import { type EventProblem, problemsOf } from './schemas/index.js'
import { type Fields, fieldsOf, isFields, listOf, type StreamEvent, textOf } from './stream-event.js'

/** A content or summary part of an item that is open. */
export interface OpenPart {
  /** The position of the event that announced it. */
  readonly at: number
  readonly announced: Fields
  /** It was announced before the stream began: its deltas so far are the end of its text at most. */
  readonly isResumed: boolean
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
  /** The type of the last event about it; empty before the first. */
  last: string
  /** It was announced before the stream began: nobody knows how, and what it said before. */
  readonly isResumed: boolean
}

/** An item that is over. Of what it said only a digest is kept. */
export interface DoneItem {
  readonly id: string
  readonly type: string
  /** Digest of each field. */
  readonly fields: ReadonlyMap<string, number>
  readonly status: unknown
}

/** How a stream stands. Every invariant reads it, and none changes it. */
export class StreamState {
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
  /**
   * The stream begins after its beginning: the number of the last event before it, or true where nobody said. Absent
   * where it begins at its beginning.
   */
  readonly resumed: number | true | undefined
  /** What a wire of before August 2025 lacks, where the stream is of one: the names of fields. */
  lacks: ReadonlySet<string> = NOTHING
  /** The lowest index of an item that was announced in this stream. */
  #lowest = Number.POSITIVE_INFINITY
  #shaped: StreamEvent | undefined
  #problems: readonly EventProblem[] = []

  constructor(resumed?: number | boolean) {
    this.resumed = resumed === false ? undefined : resumed
  }

  /** What is wrong with the shape of the event that is looked at. Read once, for all who ask. */
  shapeOf(event: StreamEvent): readonly EventProblem[] {
    if (this.#shaped !== event) {
      this.#shaped = event
      this.#problems = problemsOf(event)
    }
    return this.#problems
  }

  /** Looks at an event, before the invariants do. */
  look(event: StreamEvent, kind: EventKind = kindOf(event.type)): void {
    const { output_index: at } = event
    let item = typeof at === 'number' ? this.open.get(at) : undefined
    if (item === undefined && this.resumed !== undefined) item = this.#takenUp(event, kind)
    this.kind = kind
    this.item = item
    if (item === undefined) {
      this.part = undefined
      return
    }
    const parts = kind.isOfSummary ? item.summary : item.parts
    const index = event[kind.isOfSummary ? 'summary_index' : 'content_index']
    if (item.isResumed) takeUpParts(parts, index, kind, this.position)
    this.part = partAt(parts, index)
  }

  /** Takes the event that was looked at, after the invariants have. */
  take(event: StreamEvent): void {
    const { kind, item } = this
    this.count++
    this.previous = event
    this.before = kind
    this.#shaped = undefined
    if (kind.type === 'response.created') {
      if (this.created === undefined) this.lacks = lackedBy(event)
      this.created ??= fieldsOf(event['response'])
    }
    if (kind.isTerminal) this.terminal ??= event
    if (kind.isItemAdded) this.#add(event)
    else if (kind.isItemDone) this.#finish(event)
    else if (item !== undefined) this.#tell(item, event)
  }

  #add(event: StreamEvent): void {
    const { output_index: index } = event
    const added = fieldsOf(event['item'])
    if (typeof index !== 'number') return
    this.#lowest = Math.min(this.#lowest, index)
    this.open.set(
      index,
      openItem(this.position, index, added, textOf(added['id']), textOf(added['type']), event.type, false),
    )
  }

  /** The item that an event is about, where it was announced before the stream began. */
  #takenUp(event: StreamEvent, kind: EventKind): OpenItem | undefined {
    const { output_index: index, item_id } = event
    if (typeof index !== 'number' || !kind.isOfItem || kind.isItemAdded) return undefined
    // Items are announced in their order: what stands behind one that was announced here was not before.
    if (index >= this.#lowest || this.done.has(index)) return undefined
    const { id, type } = fieldsOf(event['item'])
    const named = kind.owner ?? (kind.isItemDone ? textOf(type) : ownerOf(event['part']))
    const item = openItem(this.position, index, {}, textOf(item_id ?? id), named, '', true)
    this.open.set(index, item)
    return item
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
      parts.push(openPart(this.position, fieldsOf(event['part']), false))
    } else if (kind.closesPart) {
      if (part !== undefined) part.done = event['part']
    } else if (kind.type === 'response.shell_call_command.added') {
      item.deltas.length = 0
      item.told = undefined
    } else if (kind.type === 'response.output_text.annotation.added') part?.annotations.push(event['annotation'])
    else if (kind.isDone) (part ?? item).told = toldBy(event)
  }
}

function openItem(
  at: number,
  index: number,
  added: Fields,
  id: string,
  type: string,
  last: string,
  isResumed: boolean,
): OpenItem {
  const seen = new Set<string>()
  return { at, index, added, id, type, parts: [], summary: [], deltas: [], told: undefined, seen, last, isResumed }
}

/** The type of the item that a part is of. */
function ownerOf(part: unknown): string {
  return fieldsOf(part)['type'] === 'reasoning_text' ? 'reasoning' : 'message'
}

function openPart(at: number, announced: Fields, isResumed: boolean): OpenPart {
  return { at, announced, isResumed, deltas: [], told: undefined, done: undefined, annotations: [] }
}

/** So many parts of an item may have been announced before the stream began: a server may name any index. */
const MOST_PARTS = 100

/** Adds the parts that were announced before the stream began, up to the one that an event is about. */
function takeUpParts(parts: OpenPart[], index: unknown, { opensPart }: EventKind, at: number): void {
  if (typeof index !== 'number' || index >= MOST_PARTS || parts.at(-1)?.isResumed === false) return
  while (parts.length < index + (opensPart ? 0 : 1)) parts.push(openPart(at, {}, true))
}

/** From the first second of March 2025, when the API came, to that of August: then it had all fields of `NEWER`. */
const OLDER = { from: 1_740_787_200, until: 1_754_006_400 }

/** Fields of events and of the response that OpenAI's wire got in 2025. */
const NEWER = {
  event: ['sequence_number'],
  response: ['background', 'max_tool_calls', 'prompt_cache_key', 'safety_identifier', 'service_tier', 'top_logprobs'],
}

const NOTHING: ReadonlySet<string> = new Set()

/**
 * What an older wire of OpenAI's lacks, by how its stream is created. A time alone is no sign: it may be made up, and
 * what such a stream lacks later is told.
 */
export function lackedBy(event: StreamEvent): ReadonlySet<string> {
  const response = fieldsOf(event['response'])
  const { created_at } = response
  if (typeof created_at !== 'number' || !(created_at >= OLDER.from && created_at < OLDER.until)) return NOTHING
  const lacks = NEWER.event
    .filter((name) => !(name in event))
    .concat(NEWER.response.filter((name) => !(name in response)))
  return lacks.length === 0 ? NOTHING : new Set(lacks)
}

function partAt(parts: readonly OpenPart[], index: unknown): OpenPart | undefined {
  return typeof index === 'number' ? parts[index] : undefined
}

function digestsOf(fields: Fields): Map<string, number> {
  const digests = new Map<string, number>()
  for (const name of Object.keys(fields)) digests.set(name, jsonHash(fields[name]))
  return digests
}

/** Whether a whole text is what its deltas said; where the stream was resumed within it, whether it ends so. */
export function isToldBy(text: unknown, said: string, { isResumed }: OpenPart | OpenItem): boolean {
  return isResumed ? typeof text === 'string' && text.endsWith(said) : text === said
}

/** The text that a `*.done` event tells: of whatever it is. */
export function toldBy({ text, refusal, arguments: call, input, code, command }: StreamEvent): string | undefined {
  const told = text ?? refusal ?? call ?? input ?? code ?? command
  return typeof told === 'string' ? told : undefined
}

/** OpenAI lists the tools of several MCP servers at once, and says of one of the lists that it is done. */
export function isListedElsewhere({ type, seen, last }: OpenItem, { done }: StreamState): boolean {
  const isListed = type === LISTING && (seen.has(LISTED) || last === LISTED)
  return isListed && [...done.values()].some((other) => other.type === LISTING)
}

const LISTING = 'mcp_list_tools'
const LISTED = 'response.mcp_list_tools.completed'

/** The items that the terminal response says were made. */
export function outputOf(event: StreamEvent): Fields[] {
  return listOf(fieldsOf(event['response'])['output']).filter(isFields)
}
