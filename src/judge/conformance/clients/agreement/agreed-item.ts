import type { Fields } from '../../../../shared/fields.js'
import { isEncodedTwice } from '../../json-text.js'
import { asFields, asString, isSameJson } from '../../stream-event.js'
import { TextHash } from '../text-hash.js'
import { type EventRef, type Place, Places, type Vote, Votes } from '../votes.js'
import { AgreedText } from './agreed-text.js'

/** A part of a message or of reasoning, as most places of the stream describe it. */
export class AgreedPart {
  readonly kind: Votes<string> = new Votes()
  readonly text: AgreedText = new AgreedText()
  /** The places that mention it. */
  readonly places: Places = new Places()
  readonly #citations = new Votes<readonly string[]>(isSameJson)
  #announced: string[] | undefined
  #firstAnnounced: EventRef | undefined

  /** Adds the part as an event or a done item gives it. */
  add(fields: Fields, place: Place, at: EventRef): void {
    const { type, text, refusal, annotations } = fields
    this.places.add(place)
    if (typeof type === 'string') this.kind.add(type, place, at)
    if (place === 'added') return
    this.text.add(text ?? refusal, place, at)
    // An empty list is no vote: servers send citations in events only, or in lists only.
    if (Array.isArray(annotations) && annotations.length > 0)
      this.#citations.add(citationSources(annotations), place, at)
  }

  addAnnotation(annotation: unknown, at: EventRef): void {
    this.#firstAnnounced ??= at
    this.#announced ??= []
    for (const source of citationSources([annotation])) this.#announced.push(source)
  }

  end(): void {
    this.text.end()
    if (this.#announced !== undefined && this.#firstAnnounced !== undefined)
      this.#citations.add(this.#announced, 'deltas', this.#firstAnnounced)
  }

  get isRefusal(): boolean {
    return this.kind.winner === 'refusal'
  }

  /** URLs or file ids. */
  get citations(): readonly string[] {
    return this.#citations.winner ?? []
  }

  get citationMismatch(): readonly Vote<readonly string[]>[] {
    return this.#citations.against(this.#citations.elected())
  }

  get hasAnnotationEvents(): boolean {
    return this.#firstAnnounced !== undefined
  }
}

/** The parts of an item, by their index: of its content, or of its summary. */
class AgreedParts {
  /** Undefined before the first: most items have no parts of one of the two kinds. */
  #parts: Map<number, AgreedPart> | undefined
  /** The places that list all of them. */
  readonly #lists = new Places()
  #last = 0
  /** The part of the previous event: most events are about the same one. */
  #lastPart: AgreedPart | undefined

  /** The part at an index. If the index is not a number, the part of the previous event. */
  at(index: unknown): AgreedPart {
    const at = typeof index === 'number' ? index : this.#last
    if (at === this.#last && this.#lastPart !== undefined) return this.#lastPart
    this.#last = at
    this.#parts ??= new Map()
    let part = this.#parts.get(at)
    if (part === undefined) {
      part = new AgreedPart()
      this.#parts.set(at, part)
    }
    this.#lastPart = part
    return part
  }

  /** Adds the list of parts of a done item. */
  add(list: unknown, place: Place, at: EventRef): void {
    if (!Array.isArray(list)) return
    this.#lists.add(place)
    if (list.length === 0) return
    const indexes = this.#streamedIndexes()
    // Some versions of vLLM number the parts of all items together, so that the first part of an item has another index
    // in events.
    const isShifted = indexes.length === list.length
    for (let index = 0; index < list.length; index++) {
      this.at(isShifted ? indexes[index] : index).add(asFields(list[index]), place, at)
    }
  }

  /** The indexes of parts with several events: a single event may just have a wrong index. */
  #streamedIndexes(): number[] {
    const indexes: number[] = []
    for (const [index, { places }] of this.#parts ?? []) if (places.countIn(STREAMED) > 1) indexes.push(index)
    return indexes.length < 2 ? indexes : indexes.sort((a, b) => a - b)
  }

  end(): void {
    if (this.#parts !== undefined) for (const part of this.#parts.values()) part.end()
  }

  /** The parts that really exist: a single event with a wrong index does not create a part. */
  get all(): readonly AgreedPart[] {
    if (this.#parts === undefined) return []
    const parts = [...this.#parts].sort(([a], [b]) => a - b).map(([, part]) => part)
    const anyAdded = parts.some(({ places }) => places.has('added'))
    const anyStreamed = parts.some(({ places }) => places.countIn(STREAMED) > 0)
    return parts.filter(({ places }) => this.#exists(places, anyAdded, anyStreamed))
  }

  /** Whether a part exists that these places mention. */
  #exists(places: Places, anyAdded: boolean, anyStreamed: boolean): boolean {
    const lists = this.#lists.size
    const yes = places.countIn(this.#lists)
    const no = lists - yes
    const moments = places.countIn(STREAMED)
    // Done events with an index of their own, as vLLM sends them, make no part of it.
    const isBegun = places.has('added') || places.has('deltas')
    if (!isBegun && anyAdded && lists > 0 && yes === 0) return false
    if (moments === 0) return yes > no + (anyStreamed ? 1 : 0)
    if (lists === 0) return moments > 1 || places.has('added') || !anyAdded
    return yes + Math.min(moments, 2) >= no + (moments === 1 ? 1 : 0)
  }
}

/** The places that mention a part while it is streamed. */
const STREAMED = new Places('added', 'deltas', 'textDone', 'part')

/** The field with a call's arguments or input, in its item and its events. */
const CALL_FIELD: Readonly<Record<string, string>> = { function_call: 'arguments', custom_tool_call: 'input' }

/** An item, as most places of the stream describe it. */
export class AgreedItem {
  readonly type: Votes<string> = new Votes()
  readonly name: Votes<string> = new Votes()
  readonly namespace: Votes<string> = new Votes()
  readonly status: Votes<string> = new Votes()
  readonly arguments: AgreedText = new AgreedText()
  /** The first event with arguments that are JSON encoded twice, and these arguments. */
  encodedTwice: { readonly text: TextHash; readonly at: EventRef } | undefined
  /** The event that added the item, if it had the arguments already. */
  argumentsAnnouncedAt: EventRef | undefined
  /** Its place in the output of the terminal response. */
  listedAt: number | undefined
  /** It was added again after it was done: later events repeat its content. */
  isRepeated = false
  readonly content: AgreedParts = new AgreedParts()
  readonly summary: AgreedParts = new AgreedParts()
  /** The places that mention it. */
  readonly places: Places = new Places()
  /** The number of its events with each id. */
  readonly #ids = new Counts<string>()
  /** The number of its events with each output_index. */
  readonly #indexes = new Counts<number>()

  /** Adds the item as an event or the terminal response gives it. */
  add(fields: Fields, place: Place, at: EventRef): void {
    const { type, name, namespace, status, content, summary } = fields
    this.places.add(place)
    if (typeof type === 'string') this.type.add(type, place, at)
    if (typeof name === 'string') this.name.add(name, place, at)
    if (typeof namespace === 'string') this.namespace.add(namespace, place, at)
    if (place === 'added') {
      // The streamed fields of an added item are no votes, as they should be empty. Some clients read them anyway.
      if (asString(fields['arguments'] ?? fields['input']) !== '') this.argumentsAnnouncedAt = at
      return
    }
    if (isStatus(status)) this.status.add(status, place, at)
    const { arguments: given, input } = fields
    this.addArguments(CALL_FIELD[asString(type)] === 'input' ? input : (given ?? input), place, at)
    this.content.add(content, place, at)
    this.summary.add(summary, place, at)
  }

  addArguments(given: unknown, place: Place, at: EventRef): void {
    this.arguments.add(given, place, at)
    if (this.encodedTwice === undefined && isEncodedTwice(given)) this.encodedTwice = { text: TextHash.of(given), at }
  }

  /** Adds the id that an event gives. Returns whether the id is new for this item. */
  addId(id: string): boolean {
    return this.#ids.add(id)
  }

  /** Returns the number of its events with this id. */
  countOfId(id: string): number {
    return this.#ids.of(id)
  }

  hasIdOf(ids: ReadonlySet<unknown>): boolean {
    return this.#ids.values.some((id) => ids.has(id))
  }

  addIndex(index: unknown): void {
    if (typeof index === 'number') this.#indexes.add(index)
  }

  /** The output_index that most of its events give. */
  get index(): number | undefined {
    return this.#indexes.mostFrequent
  }

  end(): void {
    this.arguments.end()
    this.content.end()
    this.summary.end()
  }

  get isOpen(): boolean {
    return !this.places.has('done') && !this.places.has('terminal')
  }

  /** The type in most places. In a tie, a type that the API defines wins. */
  get kind(): string | undefined {
    return this.type.elected(isKnown)?.value
  }

  get isCall(): boolean {
    return CALL_FIELD[this.kind ?? ''] !== undefined
  }

  /** Whether an event for items of this type can be about it. */
  mayHaveType(owner: string | undefined): boolean {
    return owner === undefined || this.type.isEmpty || this.kind === owner
  }
}

const isKnown = (type: string): boolean =>
  /^(message|reasoning|compaction|program|\w+_(call|output|tools|request))$/.test(type)

const isStatus = (status: unknown): status is string =>
  typeof status === 'string' && /^(completed|incomplete|in_progress|failed|searching|generating)$/.test(status)

/** The URLs or file ids of annotations. */
export function citationSources(annotations: readonly unknown[]): string[] {
  if (annotations.length === 0) return []
  return annotations.flatMap((annotation) => {
    const { url, file_id } = asFields(annotation)
    const source = url ?? file_id
    return typeof source === 'string' ? [source] : []
  })
}

/** The limit for values that are counted: some servers give each event a new id. */
const MAX_VALUES = 8

/** Counts how often each value of an item comes. Almost always there is only one. */
class Counts<Value> {
  readonly values: Value[] = []
  readonly #counts: number[] = []

  /** Counts a value. Returns whether it is new, and counted. */
  add(value: Value): boolean {
    const at = this.values[0] === value ? 0 : this.values.indexOf(value)
    if (at >= 0) this.#counts[at] = (this.#counts[at] as number) + 1
    else if (this.values.length < MAX_VALUES) {
      this.values.push(value)
      this.#counts.push(1)
      return true
    }
    return false
  }

  of(value: Value): number {
    return this.#counts[this.values.indexOf(value)] ?? 0
  }

  /** The value that came most often; the first one in a tie. */
  get mostFrequent(): Value | undefined {
    if (this.values.length < 2) return this.values[0]
    return this.values[this.#counts.indexOf(Math.max(...this.#counts))]
  }
}
