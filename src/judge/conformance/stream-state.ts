import { type Fields, isFields } from '../../shared/fields.js'
import { type EventKind, eventKindOf } from './event-kind.js'
import { jsonHash } from './json-hash.js'
import { type EventProblem, problemsOf } from './schemas/index.js'
import { asFields, asList, asString, type StreamEvent } from './stream-event.js'

/** A content or summary part of an open item. */
export interface OpenPart {
  /** The position of the event that added it. */
  readonly at: number
  /** The part as the event that added it gave it. */
  readonly announced: Fields
  /** It was added before the resumed stream began, so its deltas may be only the end of its text. */
  readonly isResumed: boolean
  /** The deltas so far; they are joined once, when the text is done. */
  readonly deltas: string[]
  /** The text in its `.done` event. */
  finalText: string | undefined
  /** The part in its `*_part.done` event. */
  donePart: unknown
  annotations: unknown[]
}

/** An item between `output_item.added` and `output_item.done`. */
export interface OpenItem {
  /** The position of the event that added it. */
  readonly at: number
  readonly index: number
  readonly added: Fields
  readonly id: string
  readonly type: string
  readonly parts: OpenPart[]
  readonly summary: OpenPart[]
  /** Deltas of arguments, input or code. */
  readonly deltas: string[]
  /** The complete arguments, input or code in their `.done` event. */
  finalText: string | undefined
  /** The types of the events about it. A set of types stays small, however many events there are. */
  readonly eventTypes: Set<string>
  /** The type of the last event about it; empty before the first. */
  lastType: string
  /** It was added before the resumed stream began: its earlier events are unknown. */
  readonly isResumed: boolean
}

/** A done item. It keeps hashes instead of texts, so that memory does not grow with the output. */
export interface DoneItem {
  readonly id: string
  readonly type: string
  /** The hash of each field of the done item. */
  readonly fieldHashes: ReadonlyMap<string, number>
  readonly status: unknown
}

/** Before the first event. */
const NO_KIND = eventKindOf('')

/** The state of a stream. All rules read it, and none changes it. */
export class StreamState {
  /** How many events with a type came so far. */
  count = 0
  /** The number of the current event among all that came, from 0. */
  position = 0
  /** The response in `response.created`. */
  created: Fields | undefined
  previous: StreamEvent | undefined
  /** The kind of the previous event. */
  previousKind: EventKind | undefined
  terminal: StreamEvent | undefined
  /** The open items, by output_index. */
  readonly open: Map<number, OpenItem> = new Map()
  /** The done items, by output_index. */
  readonly done: Map<number, DoneItem> = new Map()
  /** The kind of the current event. */
  kind: EventKind = NO_KIND
  /** The open item that the current event is about. */
  item: OpenItem | undefined
  /** The part that the current event is about. */
  part: OpenPart | undefined
  /**
   * For a resumed stream: the sequence_number of the last event before it, or true if that is unknown. Undefined if the
   * stream has its beginning.
   */
  readonly resumed: number | true | undefined
  /** The fields that the stream does not have because it is older than August 2025, by name. */
  absentFields: ReadonlySet<string> = NOTHING
  /** The lowest output_index of the items that were added in this stream. */
  #lowest = Number.POSITIVE_INFINITY
  /** The event that `#problems` is about. */
  #validated: StreamEvent | undefined
  #problems: readonly EventProblem[] = []

  constructor(resumed?: number | boolean) {
    this.resumed = resumed === false ? undefined : resumed
  }

  /** The schema problems of the current event. It is validated once, for all rules that ask. */
  problemsWith(event: StreamEvent): readonly EventProblem[] {
    if (this.#validated !== event) {
      this.#validated = event
      this.#problems = problemsOf(event)
    }
    return this.#problems
  }

  /** Finds the item and part that an event is about, before the rules check it. */
  locate(event: StreamEvent, kind: EventKind = eventKindOf(event.type)): void {
    const { output_index: at } = event
    let item = typeof at === 'number' ? this.open.get(at) : undefined
    if (item === undefined && this.resumed !== undefined) item = this.#resumedItem(event, kind)
    this.kind = kind
    this.item = item
    if (item === undefined) {
      this.part = undefined
      return
    }
    const parts = kind.isOfSummary ? item.summary : item.parts
    const index = event[kind.isOfSummary ? 'summary_index' : 'content_index']
    if (item.isResumed) addResumedParts(parts, index, kind, this.position)
    this.part = partAt(parts, index)
  }

  /** Updates the state with the current event, after the rules have checked it. */
  apply(event: StreamEvent): void {
    const { kind, item } = this
    this.count++
    this.previous = event
    this.previousKind = kind
    this.#validated = undefined
    if (kind.type === 'response.created') {
      if (this.created === undefined) this.absentFields = absentInOlderApi(event)
      this.created ??= asFields(event['response'])
    }
    if (kind.isTerminal) this.terminal ??= event
    if (kind.isItemAdded) this.#add(event)
    else if (kind.isItemDone) this.#finish(event)
    else if (item !== undefined) this.#update(item, event)
  }

  #add(event: StreamEvent): void {
    const { output_index: index } = event
    const added = asFields(event['item'])
    if (typeof index !== 'number') return
    this.#lowest = Math.min(this.#lowest, index)
    const [id, type] = [asString(added['id']), asString(added['type'])]
    this.open.set(
      index,
      openItem({ at: this.position, index, added, id, type, lastType: event.type, isResumed: false }),
    )
  }

  /** The item that an event is about, if it was added before the resumed stream began. */
  #resumedItem(event: StreamEvent, kind: EventKind): OpenItem | undefined {
    const { output_index: index, item_id } = event
    if (typeof index !== 'number' || !kind.isOfItem || kind.isItemAdded) return undefined
    // Items are added in order, so an item after one that was added in this stream cannot be older.
    if (index >= this.#lowest || this.done.has(index)) return undefined
    const { id: ownId, type: ownType } = asFields(event['item'])
    const type = kind.itemType ?? (kind.isItemDone ? asString(ownType) : itemTypeOfPart(event['part']))
    const id = asString(item_id ?? ownId)
    const item = openItem({ at: this.position, index, added: {}, id, type, lastType: '', isResumed: true })
    this.open.set(index, item)
    return item
  }

  #finish({ output_index: index, item }: StreamEvent): void {
    if (typeof index !== 'number') return
    this.open.delete(index)
    const fields = asFields(item)
    const { id, type, status } = fields
    this.done.set(index, { id: asString(id), type: asString(type), status, fieldHashes: hashesOf(fields) })
  }

  #update(item: OpenItem, event: StreamEvent): void {
    const { kind, part } = this
    // Skips the set for a run of deltas, which are most events.
    if (item.lastType !== kind.type) item.eventTypes.add(kind.type)
    item.lastType = kind.type
    if (kind.isDelta) (part ?? item).deltas.push(asString(event['delta']))
    else if (kind.opensPart) {
      const parts = kind.isOfSummary ? item.summary : item.parts
      parts.push(openPart(this.position, asFields(event['part']), false))
    } else if (kind.closesPart) {
      if (part !== undefined) part.donePart = event['part']
    } else if (kind.type === 'response.shell_call_command.added') {
      item.deltas.length = 0
      item.finalText = undefined
    } else if (kind.type === 'response.output_text.annotation.added') part?.annotations.push(event['annotation'])
    else if (kind.isDone) (part ?? item).finalText = finalTextIn(event)
  }
}

/** What an event says of an item that it opens. */
type Opening = Pick<OpenItem, 'at' | 'index' | 'added' | 'id' | 'type' | 'lastType' | 'isResumed'>

function openItem(opening: Opening): OpenItem {
  const { at, index, added, id, type, lastType, isResumed } = opening
  // Field by field: a spread takes as long as several rules.
  return {
    at,
    index,
    added,
    id,
    type,
    parts: [],
    summary: [],
    deltas: [],
    finalText: undefined,
    eventTypes: new Set(),
    lastType,
    isResumed,
  }
}

/** The type of the item that a part belongs to. */
function itemTypeOfPart(part: unknown): string {
  return asFields(part)['type'] === 'reasoning_text' ? 'reasoning' : 'message'
}

function openPart(at: number, announced: Fields, isResumed: boolean): OpenPart {
  return { at, announced, isResumed, deltas: [], finalText: undefined, donePart: undefined, annotations: [] }
}

/** The limit for parts from before a resumed stream: a server could send any index and fill the memory. */
const MAX_RESUMED_PARTS = 100

/** Adds the parts from before a resumed stream, up to the one that an event is about. */
function addResumedParts(parts: OpenPart[], index: unknown, { opensPart }: EventKind, at: number): void {
  if (typeof index !== 'number' || index >= MAX_RESUMED_PARTS || parts.at(-1)?.isResumed === false) return
  while (parts.length < index + (opensPart ? 0 : 1)) parts.push(openPart(at, {}, true))
}

/** From March 2025, when the API was released, to August 2025, when it had all `ADDED_FIELDS`. In unix seconds. */
const OLDER_API = { from: 1_740_787_200, until: 1_754_006_400 }

/** The fields of events and of the response that OpenAI added during 2025. */
const ADDED_FIELDS = {
  event: ['sequence_number'],
  response: ['background', 'max_tool_calls', 'prompt_cache_key', 'safety_identifier', 'service_tier', 'top_logprobs'],
}

const NOTHING: ReadonlySet<string> = new Set()

/**
 * The fields that a stream of OpenAI's older API does not have, judged by its `response.created`. The creation time
 * alone is not enough, as a server may make it up. Fields missing only later in the stream are still reported.
 */
export function absentInOlderApi(event: StreamEvent): ReadonlySet<string> {
  const response = asFields(event['response'])
  const { created_at } = response
  if (typeof created_at !== 'number' || !(created_at >= OLDER_API.from && created_at < OLDER_API.until)) return NOTHING
  const absent = ADDED_FIELDS.event
    .filter((name) => !(name in event))
    .concat(ADDED_FIELDS.response.filter((name) => !(name in response)))
  return absent.length === 0 ? NOTHING : new Set(absent)
}

function partAt(parts: readonly OpenPart[], index: unknown): OpenPart | undefined {
  return typeof index === 'number' ? parts[index] : undefined
}

function hashesOf(fields: Fields): Map<string, number> {
  const digests = new Map<string, number>()
  for (const name of Object.keys(fields)) digests.set(name, jsonHash(fields[name]))
  return digests
}

/** Whether a text equals its joined deltas, or ends with them if the stream was resumed within the text. */
export function matchesDeltas(text: unknown, streamed: string, { isResumed }: OpenPart | OpenItem): boolean {
  return isResumed ? typeof text === 'string' && text.endsWith(streamed) : text === streamed
}

/** The complete text, refusal, arguments, input, code or command in a `.done` event. */
export function finalTextIn({ text, refusal, arguments: call, input, code, command }: StreamEvent): string | undefined {
  const complete = text ?? refusal ?? call ?? input ?? code ?? command
  return typeof complete === 'string' ? complete : undefined
}

/** Whether an open `mcp_list_tools` is covered by another one: OpenAI lists several servers, and completes one item. */
export function isOtherMcpListDone({ type, eventTypes, lastType }: OpenItem, { done }: StreamState): boolean {
  const isListed = type === LISTING && (eventTypes.has(LISTED) || lastType === LISTED)
  return isListed && [...done.values()].some((other) => other.type === LISTING)
}

const LISTING = 'mcp_list_tools'
const LISTED = 'response.mcp_list_tools.completed'

/** The items in the output of an event's response. */
export function itemsInResponse(event: StreamEvent): Fields[] {
  return asList(asFields(event['response'])['output']).filter(isFields)
}

/** Whether a first event is from the middle of a stream, and not one of the first two whose predecessor was lost. */
export function beginsLate({ type, sequence_number: number }: StreamEvent): boolean {
  return typeof number === 'number' && number > 0 && !/^response\.(created|queued|in_progress)$/.test(type)
}
